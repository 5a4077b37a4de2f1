import { describe, expect, it } from "vitest";
import type { Hint, SurveyRow } from "../../../../lib/polling/model/account.ts";
import { dueTasks, type HintPoll, nextHint } from "../../../../lib/polling/tick/schedule.ts";
import type { ListedSurvey } from "../../../../lib/polling/tick/survey-list.ts";
import { HOUR, MINUTE } from "../../../support/survey.ts";

const NOON = Date.UTC(2026, 2, 28, 12);

function polled(more: Partial<HintPoll> = {}): HintPoll {
  return { grown: 0, sought: 0, found: 0, resumed: false, closedNow: false, ...more };
}

const hint = (missing: number, tries: number, nextAt: number): Hint => ({ missing, tries, nextAt });

// R21
describe("a hint", () => {
  it.each<[string, Hint | undefined, Partial<HintPoll>, Hint | undefined]>([
    ["is a count that has grown without a find", undefined, { grown: 2 }, hint(2, 0, NOON)],
    ["is none where as many were found", undefined, { grown: 2, found: 2 }, undefined],
    ["in vain rests for an hour", hint(1, 0, NOON), { below: "vain" }, hint(1, 1, NOON + HOUR)],
    ["in vain again rests for two", hint(1, 1, NOON), { below: "vain" }, hint(1, 2, NOON + 2 * HOUR)],
    ["rests for a day at most", hint(1, 9, NOON), { below: "vain" }, hint(1, 10, NOON + 24 * HOUR)],
    ["that rests goes on resting while counts grow", hint(1, 1, NOON + HOUR), { grown: 1 }, hint(2, 1, NOON + HOUR)],
    [
      "rests no longer once something is found below",
      hint(3, 4, NOON + HOUR),
      { found: 1, below: "found" },
      hint(2, 0, NOON),
    ],
    [
      "rests on when something is found at the head",
      hint(1, 4, NOON + HOUR),
      { grown: 1, found: 1 },
      hint(1, 4, NOON + HOUR),
    ],
    ["is less than none where more was found than has grown", undefined, { grown: 1, found: 2 }, hint(-1, 0, NOON)],
    ["is none once counts have grown by what was found before", hint(-1, 0, NOON), { grown: 1 }, undefined],
    ["is none where something is found while counts stand still", undefined, { found: 2 }, undefined],
    ["is over with books that close", hint(3, 1, NOON + HOUR), { closedNow: true }, undefined],
    ["stays as it is while a full read goes on", hint(3, 1, NOON + HOUR), { resumed: true }, hint(3, 1, NOON + HOUR)],
  ])("%s", (_, before, poll, after) => {
    expect(nextHint(before, polled(poll), NOON)).toEqual(after);
  });
});

const every = 15 * MINUTE;

function rowOf(rescanAt: number, more: Partial<SurveyRow> = {}): SurveyRow {
  const due = { at: rescanAt, every, triedAt: 0 };
  const never = { at: Number.POSITIVE_INFINITY, every, triedAt: 0 };
  return {
    counts: [5, 5, 0],
    polledAt: NOON - HOUR,
    workedAt: NOON - HOUR,
    rest: { recheck: never, rescan: due, "full read": never },
    ...more,
  };
}

const listed = (surveyId: number, counts = [5, 5, 0]): ListedSurvey =>
  ({ surveyId, counts, facts: undefined }) as ListedSurvey;

// R22, R23
describe("what is due", () => {
  const due = (surveys: ListedSurvey[], rows: [number, SurveyRow][]) => {
    const { news, rest } = dueTasks(surveys, new Map(rows), NOON);
    return [news.map(({ surveyId }) => surveyId), rest.map(({ surveyId, kind }) => `${kind} ${surveyId}`)];
  };

  it("is the head of what is new or counts otherwise, the longest unpolled first", () => {
    const surveys = [listed(1), listed(2, [6, 5, 0]), listed(3, [5, 6, 0]), listed(4)];
    const rows: [number, SurveyRow][] = [
      [1, rowOf(NOON + HOUR)],
      [2, rowOf(NOON + HOUR, { polledAt: NOON - MINUTE })],
      [3, rowOf(NOON + HOUR)],
    ];
    expect(due(surveys, rows)).toEqual([[4, 3, 2], []]);
  });

  it("is what waits until now, and a hint that rests no longer", () => {
    const surveys = [listed(1), listed(2), listed(3)];
    const rows: [number, SurveyRow][] = [
      [1, rowOf(NOON + HOUR, { dueAt: NOON })],
      [2, rowOf(NOON + HOUR, { hint: hint(1, 1, NOON + 1) })],
      [3, rowOf(NOON + HOUR, { hint: hint(1, 1, NOON) })],
    ];
    expect(due(surveys, rows)[0]).toEqual([1, 3]);
  });

  it("is the rescan that is overdue by most of its period, where an attempt counts as work done", () => {
    const tried = (at: number): SurveyRow => {
      const row = rowOf(NOON - HOUR);
      return { ...row, rest: { ...row.rest, rescan: { ...row.rest.rescan, triedAt: at } } };
    };
    const rows: [number, SurveyRow][] = [
      [1, rowOf(NOON - MINUTE)],
      [2, rowOf(NOON - 2 * MINUTE)],
      [3, tried(NOON)],
      [4, rowOf(NOON + 1)],
      [5, rowOf(NOON - HOUR, { isBehind: true })],
    ];
    expect(
      due(
        [1, 2, 3, 4, 5].map((id) => listed(id)),
        rows,
      ),
    ).toEqual([[], ["rescan 2", "rescan 1", "rescan 3"]]);
  });
});
