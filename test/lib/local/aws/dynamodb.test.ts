import { type DynamoDB, GetItemCommand, type QueryCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { errorName, startForTest } from "./support.ts";

async function tableWith(dynamodb: DynamoDB, sortKeyType: "N" | "S"): Promise<void> {
  await dynamodb.createTable({
    TableName: "ordered",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "a", AttributeType: "S" },
      { AttributeName: "b", AttributeType: sortKeyType },
    ],
    KeySchema: [
      { AttributeName: "a", KeyType: "HASH" },
      { AttributeName: "b", KeyType: "RANGE" },
    ],
  });
  await until(dynamodb, "ACTIVE");
}

/** Asks until the table has this status, or as long as there is one. */
async function until(dynamodb: DynamoDB, status: string | undefined): Promise<void> {
  const look = () => dynamodb.describeTable({ TableName: "ordered" }).catch(() => undefined);
  while ((await look())?.Table?.TableStatus !== status);
}

test("a query gives what lies between two keys, in either order, and goes on from a key", async () => {
  const { dynamodb } = await startForTest();
  await tableWith(dynamodb, "N");
  for (const b of [20, -3, 100, 7]) {
    await dynamodb.putItem({ TableName: "ordered", Item: { a: { S: "ż" }, b: { N: String(b) } } });
  }
  await dynamodb.putItem({ TableName: "ordered", Item: { a: { S: "ż2" }, b: { N: "8" } } });
  const found = async (more: Partial<QueryCommand["input"]>, least = -5): Promise<unknown> => {
    const { Items } = await dynamodb.query({
      TableName: "ordered",
      KeyConditionExpression: "a = :a AND b BETWEEN :least AND :most",
      ExpressionAttributeValues: { ":a": { S: "ż" }, ":least": { N: String(least) }, ":most": { N: "50" } },
      ...more,
    });
    return Items?.map(({ b }) => Number(b?.N));
  };
  expect(await found({})).toEqual([-3, 7, 20]);
  expect(await found({ ScanIndexForward: false })).toEqual([20, 7, -3]);
  expect(await found({ Limit: 2 }, 0)).toEqual([7, 20]);
  const from = { a: { S: "ż" }, b: { N: "7" } };
  expect(await found({ ExclusiveStartKey: from })).toEqual([20]);
  expect(await found({ ExclusiveStartKey: from, ScanIndexForward: false })).toEqual([-3]);
});

test("a table that was removed and made anew has its new keys, and nothing of the old one", async () => {
  const { dynamodb } = await startForTest();
  await tableWith(dynamodb, "N");
  const numbered = { a: { S: "x" }, b: { N: "1" } };
  await dynamodb.putItem({ TableName: "ordered", Item: numbered });
  await dynamodb.deleteTable({ TableName: "ordered" });
  await until(dynamodb, undefined);
  await tableWith(dynamodb, "S");
  const named = { a: { S: "x" }, b: { S: "1" } };
  const put = (Item: typeof named | typeof numbered) => dynamodb.putItem({ TableName: "ordered", Item });
  expect(await errorName(put(numbered))).toBe("ValidationException");
  const get = new GetItemCommand({ TableName: "ordered", Key: named });
  expect((await dynamodb.send(get)).Item).toBeUndefined();
  await put(named);
  expect((await dynamodb.send(get)).Item).toEqual(named);
});
