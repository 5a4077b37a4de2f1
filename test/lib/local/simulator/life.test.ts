import { describe, expect, test } from "vitest";
import { at, distinct, noon, type Row, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 100, open: 3 }];
const ids = (records: readonly Row[]) => distinct(records, "responseId");

describe("responses", () => {
  test("start, then finish: it appears at the place of its old id, with the late date", async () => {
    let now = noon;
    const client = await simulate({ surveys, now: () => now });
    const [started = 0] = client.simulator.start(7);
    const [later = 0] = client.simulator.complete(7);
    expect(client.simulator.openIds(7)).toContain(started);
    expect(client.simulator.truthOf(7, started)).toBeUndefined();
    now += 3_600_000;
    expect(client.simulator.tally(7)).toEqual({ completed: 101, open: 4, everCompleted: 101 });
    client.simulator.finish(7, started);
    expect(client.simulator.tally(7)).toEqual({ completed: 102, open: 3, everCompleted: 102 });
    const records = await client.all(7);
    expect(ids(records).slice(-2)).toEqual([started, later]);
    expect(records.find((record) => record.responseId === started)).toMatchObject({
      completed: 1,
      dateStart: "2026-03-10 12:00:00",
      dateCompleted: "2026-03-10 13:00:00",
    });
    expect(() => client.simulator.finish(7, started)).toThrow("completed already");
  });

  test("edit: other answers, or just what is said", async () => {
    const client = await simulate({ surveys });
    const { responseId, records } = at(client.simulator.truth(7), 40);
    client.simulator.edit(7, responseId);
    const rolled = client.simulator.truthOf(7, responseId)?.records ?? [];
    expect(rolled).not.toEqual(records);
    expect(rolled.map((record) => record.questionId)).toEqual(records.map((record) => record.questionId));
    client.simulator.edit(7, responseId, { patch: { comment: "new" } });
    expect(client.simulator.truthOf(7, responseId)?.records).toEqual(rolled.map((row) => ({ ...row, comment: "new" })));
    client.simulator.edit(7, responseId, { records: 12 });
    expect(await client.json(`/api/v3/surveys/7/responses/${responseId}/`)).toHaveLength(12);
    expect(ids(await client.all(7))).toHaveLength(100);
  });

  test("remove: gone from the list, by id, by crk and from the truth", async () => {
    const client = await simulate({ surveys });
    const [responseId = 0] = client.simulator.complete(7, 1, { crk: "key" });
    client.simulator.remove(7, responseId);
    for (const path of [`${responseId}/`, "crk/key/"])
      expect((await client.get(`/api/v3/surveys/7/responses/${path}`)).status).toBe(404);
    expect(ids(await client.all(7))).not.toContain(responseId);
    expect(client.simulator.truth(7)).toHaveLength(100);
    expect(() => client.simulator.remove(7, responseId)).toThrow(`no response ${responseId}`);
    expect(client.simulator.complete(7)).not.toContain(responseId);
  });

  test("ids are unique through the account", async () => {
    const client = await simulate({ surveys: [...surveys, { surveyId: 8, responses: 50 }] });
    client.simulator.addSurvey({ surveyId: 9, responses: 5 });
    for (let round = 0; round < 5; round += 1) for (const id of [7, 8, 9]) client.simulator.complete(id, 2);
    const all = client.simulator.truth().map((truth) => truth.responseId);
    expect(new Set(all).size).toBe(100 + 50 + 5 + 30);
  });
});

test("surveys come, go, and come back with other responses", async () => {
  const client = await simulate({ surveys });
  const before = ids(await client.all(7));
  client.simulator.removeSurvey(7);
  expect((await client.get("/api/v3/surveys/7/responses/page/1/order/asc/")).status).toBe(404);
  expect(await client.json("/api/v3/surveys/")).toEqual([]);
  expect(() => client.simulator.complete(7)).toThrow("no survey 7");
  const range = { completedFrom: noon - 86_400_000, completedTo: noon };
  client.simulator.addSurvey({ surveyId: 7, responses: 40, ...range });
  expect(ids(await client.all(7)).filter((id) => before.includes(id))).toEqual([]);
  expect(() => client.simulator.addSurvey({ surveyId: 7 })).toThrow("already a survey 7");
  for (const { startedAt, completedAt } of client.simulator.truth(7)) {
    expect(completedAt).toBeGreaterThanOrEqual(range.completedFrom);
    expect(completedAt).toBeLessThanOrEqual(noon);
    expect(startedAt).toBeLessThanOrEqual(completedAt);
  }
});

test("what changes while a page is read is seen by the next read", async () => {
  const client = await simulate({ surveys: [{ surveyId: 7 }], settings: { recordsPerResponse: 5 } });
  client.simulator.complete(7);
  const stop = client.simulator.onPageRead(() => client.simulator.complete(7));
  expect(await client.page(7, 1)).toHaveLength(5);
  stop();
  expect(await client.page(7, 1)).toHaveLength(10);
  expect(await client.page(7, 1)).toHaveLength(10);
});
