import { describe, expect, test } from "vitest";
import { type SettingsPatch, startSimulator } from "../../../../lib/local/simulator/index.ts";
import { at, distinct, noon, type Row, recordsOf, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 200 }];
const listed = async (settings: SettingsPatch) => (await simulate({ surveys, settings })).all(7);

const byResponse = (records: readonly Row[]): Row[][] =>
  distinct(records, "responseId").map((id) => records.filter((record) => record.responseId === id));

describe("contents", () => {
  test("come from the seed alone", async () => {
    const options = { surveys: [...surveys, { surveyId: 9, responses: 5, open: 2 }], now: () => noon };
    const truths = [];
    for (const seed of [4, 4, 5]) {
      const simulator = await startSimulator({ seed, ...options });
      simulator.complete(7, 3);
      truths.push(simulator.truth());
      await simulator.close();
    }
    expect(truths[0]).toHaveLength(208);
    expect(truths[1]).toEqual(truths[0]);
    expect(recordsOf(truths[2] ?? [])).not.toEqual(recordsOf(truths[0] ?? []));
  });

  test.each([
    [5, 5],
    [3, 9],
  ])("between %i and %i records for each response", async (least, most) => {
    const sizes = byResponse(await listed({ recordsPerResponse: [least, most] })).map((records) => records.length);
    expect(Math.min(...sizes)).toBe(least);
    expect(Math.max(...sizes)).toBe(most);
  });

  test("repeated questions: some records identical, some with other answers", async () => {
    const responses = byResponse(await listed({ repeatedQuestions: 0.5, recordsPerResponse: 4 }));
    const repeated = responses.filter((records) => distinct(records, "questionId").length === 3);
    const identical = repeated.filter((records) => new Set(records.map((row) => JSON.stringify(row))).size === 3);
    expect(repeated.length).toBeGreaterThan(responses.length / 4);
    expect(identical.length).toBeGreaterThan(repeated.length / 4);
    expect(identical.length).toBeLessThan(repeated.length);
  });

  test.each([
    ["none", 0, 0],
    ["some", 40, 95],
    ["all", 200, 200],
  ] as const)("crk: %s", async (crk, least, most) => {
    const keys = distinct(await listed({ crk }), "crk").filter((key) => key !== null);
    expect(keys.length).toBeGreaterThanOrEqual(least);
    expect(keys.length).toBeLessThanOrEqual(most);
  });

  test("dates are wall-clock times of the zone", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7 }] });
    client.simulator.complete(7, 1, { startedAt: noon - 61_500, completedAt: noon });
    for (const [zone, dateStart, dateCompleted] of [
      ["UTC", "2026-03-10 11:58:58", "2026-03-10 12:00:00"],
      ["Europe/Warsaw", "2026-03-10 12:58:58", "2026-03-10 13:00:00"],
      ["Asia/Kathmandu", "2026-03-10 17:43:58", "2026-03-10 17:45:00"],
    ]) {
      client.simulator.set({ zone: String(zone) });
      expect(at(await client.page(7, 1), 0)).toMatchObject({ dateStart, dateCompleted });
    }
  });

  test("a setting of contents leaves the responses that exist as they are", async () => {
    const client = await simulate({ surveys });
    const before = client.simulator.truth(7);
    client.simulator.set({ recordsPerResponse: 3, crk: "all", repeatedQuestions: 1 });
    const added = client.simulator.complete(7, 2);
    const after = client.simulator.truth(7);
    expect(after.slice(0, -2)).toEqual(before);
    expect(after.slice(-2).map((truth) => [truth.responseId, truth.records.length])).toEqual(
      added.map((id) => [id, 3]),
    );
  });
});

describe("overrides of one response", () => {
  test("records, repeats and comments", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7 }] });
    client.simulator.complete(7, 1, { records: 3, repeat: { copies: 2, identical: true, slot: 1 }, commentBytes: 7 });
    client.simulator.complete(7, 1, { records: 2, repeat: { copies: 1, identical: false } });
    const [first = [], second = []] = byResponse(await client.all(7));
    expect(first).toHaveLength(5);
    expect(first[2]).toEqual(first[1]);
    expect(first[3]).toEqual(first[1]);
    expect(distinct(first, "questionId")).toHaveLength(3);
    for (const record of first) expect(Buffer.byteLength(String(record.comment))).toBe(7);
    expect(second).toHaveLength(3);
    expect(at(second, 0).questionId).toBe(at(second, 1).questionId);
    expect(distinct(second, "questionId")).toHaveLength(2);
  });

  test("fields verbatim, or computed from each record", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7 }] });
    client.simulator.complete(7, 1, { records: 2, patch: { dateCompleted: 1_700_000_000, completed: "maybe" } });
    client.simulator.complete(7, 1, {
      records: 2,
      patch: (record, slot) => (slot === 1 ? { answer: [record.questionId] } : {}),
    });
    const records = await client.all(7);
    expect(records.slice(0, 2)).toMatchObject([1, 2].map(() => ({ dateCompleted: 1_700_000_000, completed: "maybe" })));
    expect(at(records, 3).answer).toEqual([at(records, 3).questionId]);
    expect(records).toEqual(recordsOf(client.simulator.truth(7)));
  });

  test("an id of one's choice, a crk, and a response without any record", async () => {
    const client = await simulate({ surveys });
    const taken = at(client.simulator.truth(7), 50).responseId;
    const free = client.simulator.truthOf(7, taken + 1) === undefined ? taken + 1 : taken - 1;
    expect(client.simulator.complete(7, 1, { responseId: free, crk: "my key", records: 2 })).toEqual([free]);
    expect(() => client.simulator.complete(7, 1, { responseId: taken })).toThrow("taken");
    const byCrk = await client.json("/api/v3/surveys/7/responses/crk/my%20key/");
    expect(distinct(byCrk, "responseId")).toEqual([free]);
    const ids = distinct(await client.all(7), "responseId");
    expect(ids).toEqual([...ids].sort((a, b) => Number(a) - Number(b)));
    expect(ids).toContain(free);

    const [silent] = client.simulator.complete(7, 1, { records: 0 });
    expect(distinct(await client.all(7), "responseId")).toEqual(ids);
    expect(client.simulator.truthOf(7, silent ?? 0)).toMatchObject({ records: [] });
  });

  test("metrics and metadata verbatim, absent for a while, failing for a while", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7 }] });
    const { simulator } = client;
    const read = async (responseId: number | undefined, what: string) => {
      const answer = await client.get(`/api/v3/surveys/7/responses/${responseId}/${what}/`);
      return answer.status === 200 ? ((await answer.json()) as unknown) : answer.status;
    };
    const [verbatim] = simulator.complete(7, 1, { metrics: { body: "odd" }, metadata: { body: [{ ip: 7 }] } });
    expect([await read(verbatim, "metrics"), await read(verbatim, "metadata")]).toEqual(["odd", [{ ip: 7 }]]);
    const [absent] = simulator.complete(7, 1, { metrics: { absent: "404" }, metadata: { absent: "404", reads: 1 } });
    expect([await read(absent, "metrics"), await read(absent, "metrics")]).toEqual([404, 404]);
    expect(await read(absent, "metadata")).toBe(404);
    expect(await read(absent, "metadata")).toMatchObject([{ responseId: absent }]);
    const [failing] = simulator.complete(7, 1, { metrics: { fail: 2 } });
    expect([await read(failing, "metrics"), await read(failing, "metrics")]).toEqual([500, 500]);
    expect(await read(failing, "metrics")).toEqual(simulator.truthOf(7, failing ?? 0)?.metrics);
    expect(simulator.truthOf(7, absent ?? 0)).toMatchObject({ metrics: null, metadata: [{ responseId: absent }] });
  });
});
