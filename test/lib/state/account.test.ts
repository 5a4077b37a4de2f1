import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { SurveyRow } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();

function fresh() {
  const source = `source-${randomUUID()}`;
  return { source, state: createDynamoState({ client: test.clients.dynamodb, name: test.table }, source) };
}

const row = (surveyId: number): SurveyRow => ({
  counts: [surveyId, null, 0],
  polledAt: 1_773_144_000_000 + surveyId,
  rest: {
    recheck: { at: Number.POSITIVE_INFINITY, every: 900_000, triedAt: 1_773_144_000_003 },
    rescan: { at: 1_773_144_070_000, every: 900_000, triedAt: 1_773_144_000_004 },
    "full read": { at: 1_773_144_080_000, every: 604_800_000, triedAt: 1_773_144_000_005 },
  },
  ...(surveyId % 2 === 0 ? { hint: { missing: 1, tries: 2, nextAt: 1_773_144_000_000 } } : {}),
  workedAt: 1_773_144_000_001,
  ...(surveyId % 2 === 0 ? { dueAt: 1_773_144_060_000, booksAt: 7 } : {}),
  ...(surveyId % 5 === 0 ? { isBehind: true } : {}),
  ...(surveyId % 11 === 0 ? { failingSince: 1_773_144_000_007 } : {}),
  ...(surveyId % 3 === 0 ? { known: surveyId % 2 } : {}),
  ...(surveyId % 7 === 0 ? { counted: { shown: surveyId, at: 1_773_144_000_006 } } : {}),
});

describe("the account", () => {
  it("has no item near the limit of 400 KB, however much is known of however many surveys", async () => {
    const { source, state } = fresh();
    const now = 1_773_144_123_456;
    const full = (surveyId: number): SurveyRow => ({
      ...row(surveyId),
      counts: [123_456, 112_345, 12_345],
      hint: { missing: 123, tries: 5, nextAt: now },
      isBehind: true,
      known: 4_294_967_296,
      counted: { shown: 4_294_967_296, at: now },
      ...{ polledAt: now, workedAt: now, dueAt: now, booksAt: now, found: 123_456, failingSince: now },
    });
    const ids = Array.from({ length: 3_000 }, (_, i) => 7_000_000 + i);
    await state.saveRows(new Map(ids.map((id) => [id, full(id)])));
    const { Items = [] } = await test.clients.dynamodb.send(
      new QueryCommand({
        TableName: test.table,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": `SOURCE#${source}` },
      }),
    );
    expect((await state.account()).rows.size).toBe(3_000);
    expect(Items.length).toBeGreaterThan(0);
    // As JSON it takes more room than in the table.
    for (const item of Items) expect(JSON.stringify(item).length).toBeLessThan(285_000);
  });

  it("keeps the rows of thousands of surveys, each as it was written last, and reads them with one query", async () => {
    const { state } = fresh();
    const ids = Array.from({ length: 1_200 }, (_, i) => i * 7 + 1);
    await state.saveRows(new Map(ids.map((id) => [id, row(id)])));
    await state.saveRows(new Map([[8, { ...row(8), counts: [9, 9, 9] }]]));
    const before = test.aws.counters()["dynamodb:Query"] ?? 0;

    const { rows } = await state.account();

    expect(rows.size).toBe(1_200);
    expect(rows.get(8)).toEqual({ ...row(8), counts: [9, 9, 9] });
    expect(rows.get(15)).toEqual(row(15));
    expect(rows.get(22)).toEqual(row(22));
    expect(test.aws.counters()["dynamodb:Query"]).toBe(before + 1);
  });
});
