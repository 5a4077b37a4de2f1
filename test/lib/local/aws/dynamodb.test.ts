import { GetItemCommand, type QueryCommand } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { createTable, errorName, startForTest, untilTable } from "./support.ts";

test("a query gives what lies between two keys, in either order, and goes on from a key", async () => {
  const { dynamodb } = await startForTest();
  await createTable(dynamodb, "N");
  for (const b of [20, -3, 100, 7]) {
    await dynamodb.putItem({ TableName: "table", Item: { pk: { S: "ż" }, sk: { N: String(b) } } });
  }
  await dynamodb.putItem({ TableName: "table", Item: { pk: { S: "ż2" }, sk: { N: "8" } } });
  const found = async (more: Partial<QueryCommand["input"]>, least = -5): Promise<unknown> => {
    const { Items } = await dynamodb.query({
      TableName: "table",
      KeyConditionExpression: "pk = :a AND sk BETWEEN :least AND :most",
      ExpressionAttributeValues: { ":a": { S: "ż" }, ":least": { N: String(least) }, ":most": { N: "50" } },
      ...more,
    });
    return Items?.map(({ sk }) => Number(sk?.N));
  };
  expect(await found({})).toEqual([-3, 7, 20]);
  expect(await found({ ScanIndexForward: false })).toEqual([20, 7, -3]);
  expect(await found({ Limit: 2 }, 0)).toEqual([7, 20]);
  const from = { pk: { S: "ż" }, sk: { N: "7" } };
  expect(await found({ ExclusiveStartKey: from })).toEqual([20]);
  expect(await found({ ExclusiveStartKey: from, ScanIndexForward: false })).toEqual([-3]);
});

test("a table that was removed and made anew has its new keys, and nothing of the old one", async () => {
  const { dynamodb } = await startForTest();
  await createTable(dynamodb, "N");
  const numbered = { pk: { S: "x" }, sk: { N: "1" } };
  await dynamodb.putItem({ TableName: "table", Item: numbered });
  await dynamodb.deleteTable({ TableName: "table" });
  await untilTable(dynamodb, undefined);
  await createTable(dynamodb, "S");
  const named = { pk: { S: "x" }, sk: { S: "1" } };
  const put = (Item: typeof named | typeof numbered) => dynamodb.putItem({ TableName: "table", Item });
  expect(await errorName(put(numbered))).toBe("ValidationException");
  const get = new GetItemCommand({ TableName: "table", Key: named });
  expect((await dynamodb.send(get)).Item).toBeUndefined();
  await put(named);
  expect((await dynamodb.send(get)).Item).toEqual(named);
});
