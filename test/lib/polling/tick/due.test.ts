import { describe, expect, it } from "vitest";
import type { SurveyRow } from "../../../../lib/polling/model/account.ts";
import type { BackgroundKind } from "../../../../lib/polling/survey/background.ts";
import { backgroundSurveys, dueSurveys } from "../../../../lib/polling/tick/due.ts";
import { readSurveyList } from "../../../../lib/polling/tick/survey-list.ts";
import { fullTrust } from "../../../../lib/polling/tick/trust.ts";
import { noneUnmet } from "../../../../lib/polling/tick/unmet.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const now = Date.UTC(2026, 2, 10, 12);
const listed = (surveyId: number, counts: (number | null)[] = [1, 1, 0]) => ({ surveyId, counts, created: undefined });
const row = (polledAt: number, more: Partial<SurveyRow> = {}): SurveyRow => ({
  counts: [1, 1, 0],
  unmet: noneUnmet,
  trust: fullTrust,
  polledAt,
  slowAt: Number.POSITIVE_INFINITY,
  slowEvery: HOUR,
  passAt: Number.POSITIVE_INFINITY,
  workedAt: polledAt,
  passedAt: polledAt,
  restedAt: polledAt,
  activeAt: polledAt,
  ...more,
});
const options = { now, fullPollEvery: 15 * MINUTE, fullPassEvery: 24 * HOUR };

describe("the survey list", () => {
  const facts = { name: "After a visit", modified: "2026-03-01 10:00:00", languageId: 23 };

  it.each<[string, object, object]>([
    ["a name of great length is cut", { ...facts, name: "é".repeat(1_001) }, { ...facts, name: "é".repeat(1_000) }],
    [
      "what is not as documented is null",
      { name: 5, modified: 7, languageId: "23" },
      { name: null, modified: null, languageId: null },
    ],
  ])("%s", (_name, fields, expected) => {
    expect(readSurveyList([{ surveyId: 7, ...fields }]).surveys[0]?.facts).toEqual(expected);
  });

  it("is read for its ids, three counts, the epoch of creation, and what it says of the survey", () => {
    expect(
      readSurveyList([
        { surveyId: 7, responses: 5, correct: "4", unpaidResponses: null, created: 1_700_000_000, ...facts },
      ]),
    ).toEqual({ surveys: [{ surveyId: 7, counts: [5, 4, null], created: 1_700_000_000_000, facts }], unreadable: 0 });
  });

  it("gives a survey once, and counts what has no id", () => {
    const read = readSurveyList([{ surveyId: 7, responses: 1 }, null, "x", {}, { surveyId: 7, responses: 2 }]);
    const nothing = { name: null, modified: null, languageId: null };
    const survey = { surveyId: 7, counts: [2, null, null], created: undefined, facts: nothing };
    expect(read).toEqual({ surveys: [survey], unreadable: 3 });
  });
});

// R21
describe("due surveys", () => {
  it("are those with news, longest unpolled first, new ones before all; the others may have slow work", () => {
    const rows = new Map([
      [1, row(now - 3 * MINUTE, { unmet: { ...noneUnmet, missing: 1, owed: 2 } })],
      [2, row(now - 5 * MINUTE, { dueAt: now })],
      [3, row(now - MINUTE)],
      [4, row(now - 20 * MINUTE)],
      [5, row(now - 30 * MINUTE)],
    ]);
    const all = [listed(1), listed(2), listed(3), listed(4), listed(5), listed(6)];
    const due = dueSurveys(all, rows, options);
    expect(due.map(({ surveyId }) => surveyId)).toEqual([6, 2, 1]);
    expect(backgroundSurveys(all, rows, options, "rest").map(({ surveyId }) => surveyId)).toEqual([5, 4]);
  });

  it("are those of which something is searched for below the head, once that may begin", () => {
    const seeking = { ...noneUnmet, missing: 3, seeking: true };
    const rows = new Map([
      [1, row(now, { unmet: { ...seeking, restUntil: now + 1 } })],
      [2, row(now, { unmet: seeking })],
    ]);
    const due = dueSurveys([listed(1), listed(2), { ...listed(2), facts: null }], rows, options);
    expect(due).toEqual([{ ...listed(2), seek: 3, head: true }]);
  });

  it("go behind those that have waited longer when an attempt has failed meanwhile: it may have taken long", () => {
    const rows = new Map([
      [1, row(now - 9 * MINUTE, { dueAt: now, workedAt: now - MINUTE })],
      [2, row(now - 5 * MINUTE, { dueAt: now })],
    ]);
    expect(dueSurveys([listed(1), listed(2)], rows, options).map(({ surveyId }) => surveyId)).toEqual([2, 1]);
  });

  it("are none when nothing moved, and nothing is due by itself yet", () => {
    const rows = new Map([[1, row(now - MINUTE, { dueAt: now + 1 })]]);
    expect(dueSurveys([listed(1)], rows, options)).toEqual([]);
  });

  it("include one of which any count has moved, whichever it is", () => {
    const rows = new Map([[1, row(now)]]);
    for (const counts of [
      [2, 1, 0],
      [1, 0, 0],
      [1, 1, 1],
    ]) {
      expect(dueSurveys([listed(1, counts)], rows, options)).toHaveLength(1);
    }
    expect(dueSurveys([listed(1)], rows, options)).toHaveLength(0);
  });

  it("include one whose count became unreadable, which is a change, but not one that stays half readable", () => {
    const rows = new Map([[1, row(now)]]);
    expect(dueSurveys([listed(1, [1, null, 0])], rows, options)).toHaveLength(1);
    const half = new Map([[1, row(now, { counts: [1, null, 0] })]]);
    expect(dueSurveys([listed(1, [1, null, 0])], half, options)).toHaveLength(0);
  });
});

describe("slow work", () => {
  const ids = (rows: Map<number, SurveyRow>, kind: BackgroundKind = "rest"): number[] =>
    backgroundSurveys(
      [...rows.keys()].map((id) => listed(id)),
      rows,
      options,
      kind,
    ).map(({ surveyId }) => surveyId);

  it("is due from its moment on, full passes apart from all else", () => {
    const rows = new Map([
      [1, row(now, { slowAt: now + 1, passAt: now })],
      [2, row(now, { slowAt: now, passAt: now + 1 })],
      [3, row(now)],
    ]);
    const all = [1, 2, 3, 4].map((id) => listed(id));
    const due = (kind: BackgroundKind) =>
      backgroundSurveys(all, rows, options, kind).map(({ surveyId, fullPoll }) => [surveyId, fullPoll !== undefined]);
    expect(due("rest")).toEqual([[2, false]]);
    expect(due("pass")).toEqual([[1, false]]);
  });

  // R23
  it("goes first to those that are overdue by most of their periods, since they were worked on last", () => {
    const slow = (hours: number, slowEvery: number, workedAgo = 100): SurveyRow =>
      row(now - MINUTE, { slowAt: now - hours * HOUR, slowEvery, restedAt: now - workedAgo * HOUR });
    const rows = new Map([
      [1, slow(10, 64 * HOUR)],
      [2, slow(1, 2 * HOUR)],
      [3, slow(30, HOUR, 0)],
      [4, slow(2, HOUR)],
    ]);
    expect(ids(rows)).toEqual([4, 2, 1, 3]);
  });

  it("on a survey that is listed no more is one look a day at its head, and nothing else", () => {
    const gone = { ...listed(1), facts: null };
    const day = 24 * 60 * MINUTE;
    const busy = { slowAt: 0, passAt: 0, unmet: { ...noneUnmet, missing: 1, seeking: true } };
    expect(backgroundSurveys([gone], new Map([[1, row(now - day + 1, busy)]]), options, "rest")).toEqual([]);
    expect(backgroundSurveys([gone], new Map([[1, row(now - day, busy)]]), options, "pass")).toEqual([]);
    const [look] = backgroundSurveys([gone], new Map([[1, row(now - day, busy)]]), options, "rest");
    expect(look).toMatchObject({ fullPoll: { at: now, every: day } });
    expect(dueSurveys([gone], new Map([[1, row(now - day, { counts: [9, 9, 9] })]]), options)).toEqual([]);
    // What of it waits for its metrics needs no list.
    expect(dueSurveys([gone], new Map([[1, row(now, { dueAt: now })]]), options)).toHaveLength(1);
  });
});
