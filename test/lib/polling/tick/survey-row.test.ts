import { describe, expect, it } from "vitest";
import type { SurveyRow } from "../../../../lib/polling/model/account.ts";
import { noCounts } from "../../../../lib/polling/model/poll-counts.ts";
import type { BackgroundKind } from "../../../../lib/polling/survey/background.ts";
import { nextRow } from "../../../../lib/polling/tick/survey-row.ts";
import { fullTrust } from "../../../../lib/polling/tick/trust.ts";
import { noneUnmet } from "../../../../lib/polling/tick/unmet.ts";
import { HOUR, MINUTE, noon, type Polled, polled, worldWith } from "../../../support/survey.ts";

const survey = { surveyId: 1, counts: [7, 7, 0], created: undefined };
const row: SurveyRow = {
  counts: [5, 5, 0],
  unmet: noneUnmet,
  trust: fullTrust,
  polledAt: noon - 2 * MINUTE,
  slowAt: noon + HOUR,
  slowEvery: HOUR,
  passAt: noon + HOUR,
  workedAt: noon - 2 * MINUTE,
  passedAt: noon - 3 * MINUTE,
  restedAt: noon - 2 * MINUTE,
  activeAt: noon - HOUR,
};

/** A poll of the head that found nothing. */
const idle = await polled(worldWith([]));

function result(counts: Partial<Polled["counts"]> = {}, more: Partial<Polled> = {}): Polled {
  const slowDue = { rest: { at: noon + HOUR, every: 2 * HOUR }, pass: { at: noon + 3 * HOUR, every: 9 * HOUR } };
  return { ...idle, slowDue, counts: { ...noCounts(), ...counts }, ...more };
}

const next = (of: Polled, slow?: BackgroundKind, before: SurveyRow | undefined = row): SurveyRow =>
  nextRow(survey, before, of, { now: noon, slow });

// R28
describe("after a poll", () => {
  it("that read the head the list's counts are noted, and when that was", () => {
    expect(next(result({ found: 2 }))).toMatchObject({ counts: [7, 7, 0], polledAt: noon, unmet: noneUnmet });
  });

  it("that did not read the head the counts stay as they were: what they show was not looked for", () => {
    const slow = next(result({}, { headRead: false }), "rest");
    expect(slow).toMatchObject({ counts: [5, 5, 0], polledAt: row.polledAt, trust: row.trust });
  });

  it("the survey is active when something was found or repaired, and keeps its last activity otherwise", () => {
    expect(next(result({ found: 1 })).activeAt).toBe(noon);
    expect(next(result({ repaired: 1 })).activeAt).toBe(noon);
    expect(next(result()).activeAt).toBe(row.activeAt);
  });

  it("a second one in the same tick is no next list: what no list has shown yet counts against none", () => {
    const before = { ...row, polledAt: noon - 1_000, trust: { ...fullTrust, unseen: 1 } };
    const again = (tickAt: number) =>
      nextRow({ ...survey, counts: row.counts }, before, result(), { now: noon, slow: "rest", tickAt }).trust;
    expect(again(noon - 2_000)).toEqual(before.trust);
    expect(again(noon)).toMatchObject({ misses: 1, unseen: 0 });
  });

  it("for slow work alone its turn is noted; one for news takes no turn", () => {
    expect(next(result(), "rest")).toMatchObject({ workedAt: noon, restedAt: noon, passedAt: row.passedAt });
    expect(next(result(), "pass")).toMatchObject({ workedAt: noon, restedAt: row.restedAt, passedAt: noon });
    expect(next(result())).toMatchObject({ workedAt: row.workedAt, restedAt: row.restedAt, passedAt: row.passedAt });
  });

  it("it is due by itself when the poll says so, and else no more", () => {
    expect(next(result({}, { dueAt: noon + 5 })).dueAt).toBe(noon + 5);
    expect(next(result(), undefined, { ...row, dueAt: noon }).dueAt).toBeUndefined();
    expect(next(result())).toMatchObject({ slowAt: noon + HOUR, slowEvery: 2 * HOUR, passAt: noon + 3 * HOUR });
  });

  it("a second one in the same tick leaves it due: what the first has made wait may not be in the index yet", () => {
    const polledAt = noon - 1_000;
    const again = (tickAt: number, dueAt: number) =>
      nextRow(survey, { ...row, polledAt, dueAt }, result({}, { headRead: false }), {
        now: noon,
        slow: "rest",
        tickAt,
      });
    // The index has shown what the first poll had dealt with, which is sooner.
    expect(again(polledAt, noon - HOUR).dueAt).toBe(noon - HOUR);
    expect(again(polledAt + 1, noon - HOUR).dueAt).toBeUndefined();
    expect(again(polledAt + 1, noon + HOUR).dueAt).toBe(noon + HOUR);
  });

  it("what a search finds is what a count had shown", () => {
    const unmetList = { ...row, unmet: { ...noneUnmet, missing: 2, owed: 3 } };
    const rowAfter = (found: number): SurveyRow => next(result({ found }, { headRead: false }), "rest", unmetList);
    expect(rowAfter(1).unmet).toMatchObject({ missing: 1, owed: 3 });
    expect(rowAfter(2).unmet).toEqual(noneUnmet);
  });

  it("of the first kind counts are believed, whatever they are", () => {
    const first = nextRow(survey, undefined, result({ found: 500 }, { headRead: false }), {
      now: noon,
      slow: undefined,
    });
    expect(first).toMatchObject({
      counts: [7, 7, 0],
      polledAt: noon,
      workedAt: noon,
      activeAt: noon,
      trust: fullTrust,
    });
  });
});
