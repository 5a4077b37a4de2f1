import { describe, expect, test } from "vitest";
import { at, distinct, noon, type Row, recordsOf, simulate, unordered } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 100, open: 3 }];
const ids = (records: readonly Row[]) => distinct(records, "responseId");

describe("responses", () => {
  test("complete: a new one, completed now, listed last by id", async () => {
    const client = await simulate({ surveys });
    const added = client.simulator.complete(7, 2);
    expect(ids(await client.all(7)).slice(-2)).toEqual(added);
    expect(client.simulator.truthOf(7, at(added, 0))).toMatchObject({ completedAt: noon });
    expect(client.simulator.truthOf(7, at(added, 0))?.startedAt).toBeLessThan(noon);
    expect(client.simulator.tally(7)).toEqual({ completed: 102, open: 3, everCompleted: 102 });
  });

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
    const client = await simulate({ surveys, settings: { crk: "all" } });
    const [added = 0] = client.simulator.complete(7);
    for (const { responseId, records } of [at(client.simulator.truth(7), 10), at(client.simulator.truth(7), -1)]) {
      client.simulator.remove(7, responseId);
      expect((await client.get(`/api/v3/surveys/7/responses/${responseId}/`)).status).toBe(404);
      expect((await client.get(`/api/v3/surveys/7/responses/crk/${at(records, 0).crk}/`)).status).toBe(404);
      expect(ids(await client.all(7))).not.toContain(responseId);
      expect(() => client.simulator.remove(7, responseId)).toThrow(`no response ${responseId}`);
    }
    expect(client.simulator.truth(7)).toHaveLength(99);
    expect(client.simulator.complete(7)).not.toContain(added);
  });

  test("ids are unique through the account", async () => {
    const client = await simulate({ surveys: [...surveys, { surveyId: 8, responses: 50 }] });
    client.simulator.addSurvey({ surveyId: 9, responses: 5 });
    for (let round = 0; round < 5; round += 1) for (const id of [7, 8, 9]) client.simulator.complete(id, 2);
    const all = client.simulator.truth().map((truth) => truth.responseId);
    expect(new Set(all).size).toBe(100 + 50 + 5 + 30);
  });
});

describe("surveys", () => {
  test("come, go, and come back reset with other responses", async () => {
    const client = await simulate({ surveys });
    const before = ids(await client.all(7));
    client.simulator.removeSurvey(7);
    expect((await client.get("/api/v3/surveys/7/responses/page/1/order/asc/")).status).toBe(404);
    expect(await client.json("/api/v3/surveys/")).toEqual([]);
    expect(() => client.simulator.complete(7)).toThrow("no survey 7");
    client.simulator.addSurvey({ surveyId: 7, responses: 4 });
    const after = ids(await client.all(7));
    expect(after).toHaveLength(4);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    expect(() => client.simulator.addSurvey({ surveyId: 7 })).toThrow("already a survey 7");
  });

  test("an edit moves modified and the texts of the questions", async () => {
    let now = noon;
    const client = await simulate({ surveys: [{ surveyId: 7, createdAt: noon - 5000 }], now: () => now });
    const read = async () => [await client.json("/api/v3/surveys/"), await client.json("/api/v3/surveys/7/questions/")];
    const [list, questions] = await read();
    expect(list).toMatchObject([{ created: noon / 1000 - 5, modified: "2026-03-10 11:59:55" }]);
    now += 60_000;
    client.simulator.editSurvey(7);
    const [editedList, editedQuestions] = await read();
    expect(editedList).toMatchObject([{ created: noon / 1000 - 5, modified: "2026-03-10 12:01:00" }]);
    expect(editedQuestions).not.toEqual(questions);
  });

  test("their first responses completed within the range given", async () => {
    const completedFrom = noon - 86_400_000;
    const range = { completedFrom, completedTo: noon };
    const { simulator } = await simulate({ surveys: [{ surveyId: 7, responses: 500, ...range }] });
    for (const { startedAt, completedAt } of simulator.truth(7)) {
      expect(completedAt).toBeGreaterThanOrEqual(completedFrom);
      expect(completedAt).toBeLessThanOrEqual(noon);
      expect(startedAt).toBeLessThanOrEqual(completedAt);
    }
  });
});

describe("while pages are read", () => {
  const settings = { recordsPerResponse: 5 } as const;

  test("a deletion between two pages hides a response from the reader", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7, responses: 60 }], settings });
    const before = client.simulator.truth(7);
    const stop = client.simulator.onPageRead((surveyId, page, order, nth) => {
      expect([surveyId, order, page]).toEqual([7, "asc", nth]);
      if (nth === 1) client.simulator.remove(7, at(before, 0).responseId);
    });
    const read = ids(await client.all(7));
    stop();
    // Page 2 begins one response later than it would have.
    const missed = before.map((truth) => truth.responseId).filter((id) => !read.includes(id));
    expect(missed).toEqual([at(before, 20).responseId]);
    expect(unordered(await client.all(7))).toEqual(unordered(recordsOf(client.simulator.truth(7))));
  });

  test("an arrival between two desc pages shows a response twice", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7, responses: 60 }], settings });
    const stop = client.simulator.onPageRead(() => client.simulator.complete(7));
    const first = await client.page(7, 1, "desc");
    const second = await client.page(7, 2, "desc");
    expect(second.slice(0, 5)).toEqual(first.slice(-5));
    stop();
    const total = client.simulator.truth(7).length;
    await client.page(7, 1);
    expect(client.simulator.truth(7)).toHaveLength(total);
  });

  test("a hook before sees its change in this very page, one after only in the next", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7 }], settings });
    const stop = client.simulator.onPageRead(() => client.simulator.complete(7), "before");
    expect(await client.page(7, 1)).toHaveLength(5);
    stop();
    client.simulator.onPageRead(() => client.simulator.complete(7), "after");
    expect(await client.page(7, 1)).toHaveLength(5);
    expect(await client.page(7, 1)).toHaveLength(10);
  });

  test("an order that is not named is null", async () => {
    const client = await simulate({ surveys: [{ surveyId: 7 }] });
    const seen: unknown[] = [];
    client.simulator.onPageRead((...read) => seen.push(read));
    await client.json("/api/v3/surveys/7/responses/");
    await client.json("/api/v2/surveys/7/page/3/responses");
    expect(seen).toEqual([
      [7, 1, null, 1],
      [7, 3, null, 2],
    ]);
  });
});
