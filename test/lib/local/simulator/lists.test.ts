import { describe, expect, test } from "vitest";
import type { Settings, SettingsPatch } from "../../../../lib/local/simulator/index.ts";
import { distinct, noon, type Row, recordsOf, simulate, unordered } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 130, open: 12 }];

/** The ids in order of appearance, once for each run of records that stand together. */
const runs = (records: readonly Row[]) =>
  records.map((record) => record.responseId).filter((id, index, ids) => id !== ids[index - 1]);

const sortKeys: Settings["sortKey"][] = ["responseId", "dateStart", "dateCompleted", "hash"];

describe.each<Settings["layout"]>(["contiguous", "interleaved", "scattered"])("layout %s", (layout) => {
  test.each(sortKeys)("lists the truth, each record once, desc the reverse of asc (sorted by %s)", async (sortKey) => {
    const client = await simulate({ surveys, settings: { layout, sortKey } });
    const asc = await client.all(7);
    const desc = await client.all(7, "desc");
    expect(unordered(asc)).toEqual(unordered(recordsOf(client.simulator.truth(7))));
    if (layout === "contiguous") expect(runs(desc)).toEqual(runs(asc).reverse());
    else expect(desc).toEqual([...asc].reverse());
  });

  test("takes arrivals, late completions, edits and deletions at their places", async () => {
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

test.each([
  ["ascending", 1],
  ["descending", -1],
] as const)("the questions of a response stand in a desc list: %s", async (descQuestions, direction) => {
  const client = await simulate({ surveys, settings: { descQuestions } });
  for (const [order, sign] of [["asc", 1] as const, ["desc", direction] as const]) {
    const records = await client.all(7, order);
    for (const id of distinct(records, "responseId")) {
      const questions = records.filter((record) => record.responseId === id).map((one) => Number(one.questionId));
      expect(questions).toEqual(questions.toSorted((a, b) => sign * (a - b)));
    }
  }
});

test("a page holds 100 records, the last one the rest; without page or order the default order", async () => {
  const client = await simulate({ surveys });
  const all = await client.all(7);
  for (const path of ["v3/surveys/7/responses/", "v2/surveys/7/responses"])
    expect(await client.json(`/api/${path}`)).toEqual(all.slice(0, 100));
  for (const path of ["v3/surveys/7/responses/page/2/", "v2/surveys/7/page/2/responses"])
    expect(await client.json(`/api/${path}`)).toEqual(all.slice(100, 200));
  const last = Math.ceil(all.length / 100);
  expect(await client.page(7, last)).toEqual(all.slice((last - 1) * 100));
  client.simulator.set({ defaultOrder: "desc" });
  expect(await client.json("/api/v3/surveys/7/responses/")).toEqual(await client.page(7, 1, "desc"));
});

test.each(["readAt", "fieldOrder"] as const)("records that have not changed read differently: %s", async (rereads) => {
  const client = await simulate({ surveys });
  const before = await client.page(7, 1);
  client.simulator.set({ rereads });
  const reads = [await client.page(7, 1), await client.page(7, 1), await client.page(7, 1)];
  expect(new Set(reads.map((read) => JSON.stringify(read))).size).toBe(3);
  for (const read of reads) expect(read.map(({ readAt: _, ...record }) => record)).toEqual(before);
});

test.each([null, "", "0000-00-00 00:00:00", "dateStart"] as const)("open ones are listed with %j", async (shown) => {
  const settings: SettingsPatch = { openListed: true, openDateCompleted: shown, sortKey: "dateCompleted" };
  const client = await simulate({ surveys, settings });
  const records = await client.all(7);
  const open = records.filter((record) => record.completed === 0);
  expect(new Set(distinct(open, "responseId"))).toEqual(new Set(client.simulator.openIds(7)));
  for (const record of open) expect(record.dateCompleted).toBe(shown === "dateStart" ? record.dateStart : shown);
  // A missing date sorts before every other.
  if (shown !== "dateStart") expect(records.slice(0, open.length)).toEqual(open);
});
