import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import type { SurveyRow } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();

it("the account has no item near the limit of 400 KB, and is read with one query, however much is known of however many surveys", async () => {
  const source = `source-${randomUUID()}`;
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, source);
  const now = 1_773_144_123_456;
  const rest = { at: now, every: 604_800_000, triedAt: now };
  const row: SurveyRow = {
    counts: [123_456, 112_345, 12_345],
    rest: {
      recheck: { ...rest, at: Number.POSITIVE_INFINITY },
      rescan: { ...rest, every: 900_000 },
      "full read": rest,
    },
    hint: { missing: 123, tries: 5, nextAt: now },
    isBehind: true,
    known: 4_294_967_296,
    counted: { shown: 4_294_967_296, at: now },
    ...{ polledAt: now, workedAt: now, dueAt: now, booksAt: now, found: 123_456, failingSince: now },
  };
  await state.saveRows(new Map(Array.from({ length: 3_000 }, (_, i) => [7_000_000 + i, row])));
  const before = test.aws.counters()["dynamodb:Query"] ?? 0;
  const { rows } = await state.account();
  expect([rows.size, rows.get(7_000_000)]).toEqual([3_000, row]);
  expect(test.aws.counters()["dynamodb:Query"]).toBe(before + 1);

  const { Items = [] } = await test.clients.dynamodb.send(
    new QueryCommand({
      TableName: test.table,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `SOURCE#${source}` },
    }),
  );
  expect(Items.length).toBeGreaterThan(0);
  // As JSON it takes more room than in the table.
  for (const item of Items) expect(JSON.stringify(item).length).toBeLessThan(285_000);
});
