import { describe, expect, it } from "vitest";
import type { SurveyRow } from "../../../../lib/polling/model/account.ts";
import { noChase } from "../../../../lib/polling/tick/chase.ts";
import { backgroundSurveys, dueSurveys } from "../../../../lib/polling/tick/due.ts";
import { readSurveyList } from "../../../../lib/polling/tick/survey-list.ts";
import { fullTrust } from "../../../../lib/polling/tick/trust.ts";

const MINUTE = 60_000;
const now = Date.UTC(2026, 2, 10, 12);
const listed = (surveyId: number, counts: (number | null)[] = [1, 1, 0]) => ({ surveyId, counts, created: undefined });
const row = (polledAt: number, more: Partial<SurveyRow> = {}): SurveyRow => ({
  counts: [1, 1, 0],
  chase: noChase,
  trust: fullTrust,
  polledAt,
  workedAt: polledAt,
  activeAt: polledAt,
  ...more,
});
const options = { now, fullPollEvery: 15 * MINUTE };

describe("the survey list", () => {
  it("is read for its ids, three counts and the epoch of creation", () => {
    expect(
      readSurveyList([{ surveyId: 7, responses: 5, correct: "4", unpaidResponses: null, created: 1_700_000_000 }]),
    ).toEqual({ surveys: [{ surveyId: 7, counts: [5, 4, null], created: 1_700_000_000_000 }], unreadable: 0 });
  });

  it("gives a survey once, and counts what has no id", () => {
    const read = readSurveyList([{ surveyId: 7, responses: 1 }, null, "x", {}, { surveyId: 7, responses: 2 }]);
    expect(read).toEqual({ surveys: [{ surveyId: 7, counts: [2, null, null], created: undefined }], unreadable: 3 });
  });
});

describe("due surveys", () => {
  it("are those with news, longest unpolled first, new ones before all; the others may have slow work", () => {
    const rows = new Map([
      [1, row(now - 3 * MINUTE, { chase: { ...noChase, missing: 1, owed: 2 } })],
      [2, row(now - 5 * MINUTE, { dueAt: now })],
      [3, row(now - MINUTE)],
      [4, row(now - 20 * MINUTE)],
      [5, row(now - 30 * MINUTE)],
    ]);
    const all = [listed(1), listed(2), listed(3), listed(4), listed(5), listed(6)];
    const due = dueSurveys(all, rows, options);
    expect(due.map(({ surveyId }) => surveyId)).toEqual([6, 2, 1]);
    expect(backgroundSurveys(all, rows, options).map(({ surveyId }) => surveyId)).toEqual([5, 4]);
  });

  it("are those of which something is searched for below the head, once that may begin", () => {
    const seeking = { ...noChase, missing: 3, seeking: true };
    const rows = new Map([
      [1, row(now, { chase: { ...seeking, restUntil: now + 1 } })],
      [2, row(now, { chase: seeking })],
    ]);
    const due = dueSurveys([listed(1), listed(2), { ...listed(2), isGone: true }], rows, options);
    expect(due).toEqual([{ ...listed(2), seek: 3 }]);
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
  const ids = (rows: Map<number, SurveyRow>, all = [...rows.keys()].map((id) => listed(id))): number[] =>
    backgroundSurveys(all, rows, options).map(({ surveyId }) => surveyId);

  it("is due from its moment on", () => {
    const rows = new Map([
      [1, row(now, { backgroundAt: now + 1 })],
      [2, row(now, { backgroundAt: now })],
      [3, row(now)],
    ]);
    const due = backgroundSurveys(
      [1, 2, 3, 4].map((id) => listed(id)),
      rows,
      options,
    );
    expect(due.map(({ surveyId, fullPoll }) => [surveyId, fullPoll])).toEqual([[2, false]]);
  });

  it("goes first to those that have waited longest in relation to how long they have been quiet", () => {
    const waiting = (minutes: number, quiet: number): SurveyRow =>
      row(now - MINUTE, { backgroundAt: 0, workedAt: now - minutes * MINUTE, activeAt: now - quiet * MINUTE });
    expect(
      ids(
        new Map([
          [1, waiting(10, 600)],
          [2, waiting(5, 5)],
          [3, waiting(2, 5)],
          [4, waiting(500, 600)],
        ]),
      ),
    ).toEqual([4, 2, 3, 1]);
  });

  it("on a survey that is listed no more is one look a day at its head, and nothing else", () => {
    const gone = { ...listed(1), isGone: true };
    const day = 24 * 60 * MINUTE;
    const busy = { backgroundAt: 0, chase: { ...noChase, missing: 1, seeking: true } };
    expect(ids(new Map([[1, row(now - day + 1, busy)]]), [gone])).toEqual([]);
    const [look] = backgroundSurveys([gone], new Map([[1, row(now - day, busy)]]), options);
    expect(look).toMatchObject({ fullPoll: true });
    expect(dueSurveys([gone], new Map([[1, row(now - day, { counts: [9, 9, 9] })]]), options)).toEqual([]);
    // What of it waits for its metrics needs no list.
    expect(dueSurveys([gone], new Map([[1, row(now, { dueAt: now })]]), options)).toHaveLength(1);
  });
});
