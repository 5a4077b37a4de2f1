import { describe, expect, test } from "vitest";
import type { Settings, SettingsPatch } from "../../../../lib/local/simulator/index.ts";
import { at, distinct, noon, type Row, recordsOf, simulate, unordered } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 130, open: 12 }];

const byNumber = (a: unknown, b: unknown) => Number(a) - Number(b);
const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : Number(String(a) > String(b)));
const isSorted = (values: readonly unknown[], compare: (a: unknown, b: unknown) => number) =>
  values.every((value, index) => index === 0 || compare(values[index - 1], value) <= 0);

/** The ids in order of appearance, once for each run of records that stand together. */
const runs = (records: readonly Row[]) =>
  records.map((record) => record.responseId).filter((id, index, ids) => id !== ids[index - 1]);

const sortKeys: Settings["sortKey"][] = ["responseId", "dateStart", "dateCompleted", "hash"];
const layouts: Settings["layout"][] = ["contiguous", "interleaved", "scattered"];

describe.each(layouts)("layout %s", (layout) => {
  test.each(sortKeys)("lists the truth, each record once, desc the reverse of asc (sorted by %s)", async (sortKey) => {
    const client = await simulate({ surveys, settings: { layout, sortKey } });
    const asc = await client.all(7);
    const desc = await client.all(7, "desc");
    expect(unordered(asc)).toEqual(unordered(recordsOf(client.simulator.truth(7))));
    if (layout === "contiguous") expect(runs(desc)).toEqual(runs(asc).reverse());
    else expect(desc).toEqual([...asc].reverse());
  });
});

describe("sort keys", () => {
  test.each([
    ["responseId", byNumber],
    ["dateStart", byText],
    ["dateCompleted", byText],
  ] as const)("%s orders the list", async (sortKey, compare) => {
    const client = await simulate({ surveys, settings: { sortKey } });
    const values = (await client.all(7)).map((record) => record[sortKey]);
    expect(new Set(values).size).toBeGreaterThan(100);
    expect(isSorted(values, compare)).toBe(true);
  });

  test("dates sort as the strings shown: the hour that a zone repeats is mixed", async () => {
    const client = await simulate({
      surveys: [{ surveyId: 7 }],
      settings: { zone: "Europe/Warsaw", sortKey: "dateCompleted", recordsPerResponse: 1 },
    });
    // 00:40 UTC is 02:40 summer time, 01:20 UTC is 02:20 winter time.
    const [first] = client.simulator.complete(7, 1, { completedAt: Date.UTC(2026, 9, 25, 0, 40) });
    const [second] = client.simulator.complete(7, 1, { completedAt: Date.UTC(2026, 9, 25, 1, 20) });
    expect(await client.all(7)).toMatchObject([
      { responseId: second, dateCompleted: "2026-10-25 02:20:00" },
      { responseId: first, dateCompleted: "2026-10-25 02:40:00" },
    ]);
  });
});

describe("layouts", () => {
  test("interleaved: mixed with neighbours, but not through the whole list", async () => {
    const client = await simulate({ surveys, settings: { layout: "interleaved" } });
    const records = await client.all(7);
    const ids = records.map((record) => record.responseId);
    const spans = [...new Set(ids)].map((id) => ids.lastIndexOf(id) - ids.indexOf(id));
    expect(runs(records).length).toBeGreaterThan(new Set(ids).size);
    expect(Math.max(...spans)).toBeLessThan(100);
  });

  test("scattered: by question first", async () => {
    const client = await simulate({ surveys, settings: { layout: "scattered" } });
    const questions = (await client.all(7)).map((record) => record.questionId);
    expect(isSorted(questions, byNumber)).toBe(true);
  });

  test.each(layouts)("%s takes arrivals, late completions, edits and deletions at their places", async (layout) => {
    const client = await simulate({ surveys, settings: { layout, sortKey: "dateCompleted" } });
    const { simulator } = client;
    const before = simulator.truth(7).map((truth) => truth.responseId);
    simulator.complete(7, 30);
    for (const responseId of simulator.openIds(7)) simulator.finish(7, responseId);
    for (const responseId of before.slice(10, 40)) simulator.remove(7, responseId);
    for (const responseId of before.slice(50, 60))
      simulator.edit(7, responseId, { completedAt: noon - 5000, records: 3 });
    const listed = await client.all(7);

    // The same responses listed from nothing: what was put in place one by one must be where a rebuild puts it.
    simulator.set({ sortKey: "hash" });
    await client.page(7, 1);
    simulator.set({ sortKey: "dateCompleted" });
    expect(await client.all(7)).toEqual(listed);
    expect(unordered(listed)).toEqual(unordered(recordsOf(simulator.truth(7))));
    expect(distinct(listed, "responseId")).toHaveLength(130 + 30 + 12 - 30);
  });
});

describe("order within a response", () => {
  test.each([
    ["ascending", "ascending"],
    ["ascending", "descending"],
    ["descending", "ascending"],
    ["descending", "descending"],
  ] as const)("asc %s, desc %s", async (asc, desc) => {
    const client = await simulate({ surveys, settings: { recordOrder: { asc, desc } } });
    for (const [order, within] of [
      ["asc", asc],
      ["desc", desc],
    ] as const) {
      const records = await client.all(7, order);
      for (const id of distinct(records, "responseId")) {
        const questions = records.filter((record) => record.responseId === id).map((record) => record.questionId);
        expect(isSorted(within === "ascending" ? questions : questions.reverse(), byNumber)).toBe(true);
      }
    }
  });
});

describe("pages", () => {
  test("hold 100 records, the last one the rest; without page or order the default order", async () => {
    const client = await simulate({ surveys });
    const all = await client.all(7);
    expect(await client.json("/api/v3/surveys/7/responses/")).toEqual(all.slice(0, 100));
    expect(await client.json("/api/v3/surveys/7/responses/page/2/")).toEqual(all.slice(100, 200));
    expect(await client.json("/api/v2/surveys/7/responses")).toEqual(all.slice(0, 100));
    expect(await client.json("/api/v2/surveys/7/page/2/responses")).toEqual(all.slice(100, 200));
    const last = Math.ceil(all.length / 100);
    expect(await client.page(7, last)).toEqual(all.slice((last - 1) * 100));
    client.simulator.set({ defaultOrder: "desc" });
    expect(await client.json("/api/v3/surveys/7/responses/")).toEqual(await client.page(7, 1, "desc"));
  });

  test.each([
    ["empty", 200, 0],
    ["204", 204, null],
    ["404", 404, null],
    ["400", 400, null],
    ["500", 500, null],
    ["repeatLast", 200, 50],
    ["repeatFirst", 200, 100],
  ] as const)("past the end: %s", async (pastEnd, status, records) => {
    const settings: SettingsPatch = { pastEnd, recordsPerResponse: 5 };
    const client = await simulate({ surveys: [{ surveyId: 7, responses: 50 }, { surveyId: 8 }], settings });
    const exact = await client.get("/api/v3/surveys/7/responses/page/4/order/asc/");
    expect(exact.status).toBe(status);
    if (records === 0) expect(await exact.json()).toEqual([]);
    if (records !== null && records > 0)
      expect(await exact.json()).toEqual(await client.page(7, records === 50 ? 3 : 1));
    expect(await client.page(8, 1)).toEqual([]);
  });

  test.each([
    ["array", 200, "[]"],
    ["204", 204, ""],
    ["404", 404, '{"status":404,"message":"Not Found"}'],
  ] as const)("page 1 of a survey with nothing listed: %s", async (emptyList, status, body) => {
    const client = await simulate({ surveys: [...surveys, { surveyId: 8, open: 2 }], settings: { emptyList } });
    for (const path of ["responses/", "responses/page/1/", "responses/page/1/order/desc/"]) {
      const answer = await client.get(`/api/v3/surveys/8/${path}`);
      expect([answer.status, await answer.text()]).toEqual([status, body]);
    }
    expect(await client.page(8, 2)).toEqual([]);
    expect(await client.page(7, 1)).toHaveLength(100);
    client.simulator.complete(8);
    expect(await client.page(8, 1)).not.toEqual([]);
  });
});

describe("records that have not changed", () => {
  const singleOf = (responseId: unknown): string => `/api/v3/surveys/7/responses/${responseId}/`;

  test.each(["readAt", "fieldOrder"] as const)("read differently each time: %s", async (rereads) => {
    const client = await simulate({ surveys });
    const before = await client.page(7, 1);
    client.simulator.set({ rereads });
    const reads = [await client.page(7, 1), await client.page(7, 1), await client.page(7, 1)];
    expect(new Set(reads.map((read) => JSON.stringify(read))).size).toBe(3);
    for (const read of reads) expect(read.map(({ readAt: _, ...record }) => record)).toEqual(before);
    const singles = [
      await client.json(singleOf(before[0]?.responseId)),
      await client.json(singleOf(before[0]?.responseId)),
    ];
    expect(new Set(singles.map((read) => JSON.stringify(read))).size).toBe(2);
  });
});

describe("open responses", () => {
  test("are not listed by default, yet can be read by id", async () => {
    const client = await simulate({ surveys });
    const open = at(client.simulator.openIds(7), 0);
    expect(distinct(await client.all(7), "completed")).toEqual([1]);
    const records = await client.json(`/api/v3/surveys/7/responses/${open}/`);
    expect(records[0]).toMatchObject({ responseId: open, completed: 0, dateCompleted: null });
    expect((await client.get(`/api/v3/surveys/7/responses/${open}/metrics/`)).status).toBe(404);
  });

  test.each([null, "", "0000-00-00 00:00:00", "dateStart"] as const)("listed with dateCompleted %j", async (shown) => {
    const settings: SettingsPatch = { openListed: true, openDateCompleted: shown, sortKey: "dateCompleted" };
    const client = await simulate({ surveys, settings });
    const records = await client.all(7);
    const open = records.filter((record) => record.completed === 0);
    expect(distinct(open, "responseId").sort(byNumber)).toEqual(client.simulator.openIds(7));
    for (const record of open) expect(record.dateCompleted).toBe(shown === "dateStart" ? record.dateStart : shown);
    // A missing date sorts before every other.
    if (shown !== "dateStart") expect(records.slice(0, open.length)).toEqual(open);
    else
      expect(
        isSorted(
          records.map((record) => record.dateCompleted),
          byText,
        ),
      ).toBe(true);
  });
});
