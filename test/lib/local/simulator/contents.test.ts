import { expect, test } from "vitest";
import { startSimulator } from "../../../../lib/local/simulator/index.ts";
import { at, distinct, noon, type Row, recordsOf, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 200 }];

const byResponse = (records: readonly Row[]): Row[][] =>
  distinct(records, "responseId").map((id) => records.filter((record) => record.responseId === id));

test("contents come from the seed alone", async () => {
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

test("records for each response, between the least and the most", async () => {
  const { all } = await simulate({ surveys, settings: { recordsPerResponse: [3, 9] } });
  const sizes = byResponse(await all(7)).map((records) => records.length);
  expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([3, 9]);
});

test("records, repeats and comments of one response", async () => {
  const client = await simulate({ surveys: [{ surveyId: 7 }] });
  client.simulator.complete(7, 1, { records: 3, repeat: { copies: 2, identical: true, slot: 1 }, commentBytes: 7 });
  client.simulator.complete(7, 1, { records: 2, repeat: { copies: 1, identical: false } });
  const [first = [], second = []] = byResponse(await client.all(7));
  expect(first).toHaveLength(5);
  for (const repeated of [2, 3]) expect(first[repeated]).toEqual(first[1]);
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

test("an id of one's choice, and a response without any record", async () => {
  const client = await simulate({ surveys });
  const taken = at(client.simulator.truth(7), 50).responseId;
  const free = client.simulator.has(7, taken + 1) ? taken - 1 : taken + 1;
  expect(client.simulator.complete(7, 1, { responseId: free, records: 2 })).toEqual([free]);
  expect(() => client.simulator.complete(7, 1, { responseId: taken })).toThrow("taken");
  const ids = distinct(await client.all(7), "responseId");
  expect(ids).toEqual([...ids].sort((a, b) => Number(a) - Number(b)));
  expect(ids).toContain(free);

  const [silent = 0] = client.simulator.complete(7, 1, { records: 0 });
  expect(distinct(await client.all(7), "responseId")).toEqual(ids);
  expect(client.simulator.truthOf(7, silent)).toMatchObject({ records: [] });
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
