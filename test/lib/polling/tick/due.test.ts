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

describe("slow work", () => {
  const ids = (rows: Map<number, SurveyRow>, kind: BackgroundKind = "rest"): number[] =>
    backgroundSurveys(
      [...rows.keys()].map((id) => listed(id)),
      rows,
      options,
      kind,
    ).map(({ surveyId }) => surveyId);

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
