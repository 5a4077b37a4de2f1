import { describe, expect, it } from "vitest";
import type { Hint, SurveyRow } from "../../../../lib/polling/model/account.ts";
import type { ListedSurvey } from "../../../../lib/polling/survey-list.ts";
import { dueTasks } from "../../../../lib/polling/tick/schedule.ts";
import { HOUR, MINUTE } from "../../../support/survey.ts";

const NOON = Date.UTC(2026, 2, 28, 12);

const hint = (missing: number, tries: number, nextAt: number): Hint => ({ missing, tries, nextAt });

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
