import { describe, expect, it } from "vitest";
import { type FailingSince, noteTurns, type StalledRequest, stalledFor } from "../../../lib/monitoring/stalled.ts";
import type { BacklogRound, SurveyRow, SurveySummary, TickSummary } from "../../../lib/polling/index.ts";
import { HOUR, MINUTE, noon } from "../../support/survey.ts";

const DAY = 24 * HOUR;
const fullEvery = 7 * DAY;

const survey = (changes: Partial<SurveySummary> = {}): SurveySummary => ({
  ...{ surveyId: 1, outcome: "polled", waiting: 0, unfinished: false },
  ...changes,
});

const figures = (changes: Partial<NonNullable<TickSummary["figures"]>> = {}) => ({
  ...{ unaccounted: 0, rangeUnreachable: 0, repaired: 0, repairedAgain: 0, changed: 0, booksClosed: 0 },
  ...{ failing: 0, neverClosed: 0, oldestBooks: 0, fullPollLate: 0, overdrawn: 0 },
  ...changes,
});

const seen = (changes: Partial<StalledRequest["seen"]> = {}): StalledRequest["seen"] => ({
  ...{ emitted: 0, quarantined: 0, refused: 0, held: 0, lags: [] },
  basis: { firstTick: noon - 100 * DAY },
  ...changes,
});

function stalled(summary: Partial<TickSummary>, rest: Partial<Omit<StalledRequest, "summary">> = {}): number {
  return stalledFor({
    summary: {
      ...{ source: "main", listed: 1, surveys: [survey()], unpolled: 0, behind: 0, outages: [], figures: figures() },
      ...summary,
    },
    seen: seen(),
    failing: new Map(),
    fullEvery,
    now: noon,
    ...rest,
  });
}

describe("the age of the longest-standing trouble", () => {
  it("is that of survey rows without an id, from the first that this process has seen", () => {
    const failing: FailingSince = new Map();
    expect(stalled({ unreadableSurveys: 1 }, { failing })).toBe(0);
    expect(stalled({ unreadableSurveys: 2 }, { failing, now: noon + HOUR })).toBe(HOUR);
    expect(stalled({}, { failing, now: noon + 2 * HOUR })).toBe(0);
    expect(stalled({ unreadableSurveys: 1 }, { failing, now: noon + 3 * HOUR })).toBe(0);
  });

  it("is zero when all is well", () => {
    expect(stalled({})).toBe(0);
  });

  it("is that of a survey whose polls fail", () => {
    expect(stalled({ figures: figures({ failing: 20 * MINUTE }) })).toBe(20 * MINUTE);
  });

  it("is that of a backlog which fails, whatever the polls come to, until one of its slices does not or it is over", () => {
    const slice = (changes: Partial<SurveySummary> = {}): BacklogRound => ({
      source: "main",
      turns: [survey(changes)],
      goesOn: false,
    });
    const failure = { code: "SERVER_ERROR", message: "no answer" };
    const behind = (isBehind: boolean) => seen({ account: { rows: new Map([[1, { isBehind } as SurveyRow]]) } });
    const failing: FailingSince = new Map();
    noteTurns(slice({ failure }), failing, noon);
    noteTurns(slice({ failure }), failing, noon + 10 * MINUTE);
    expect(stalled({}, { failing, seen: behind(true), now: noon + 20 * MINUTE })).toBe(20 * MINUTE);

    noteTurns(slice(), failing, noon + 21 * MINUTE);
    expect(stalled({}, { failing, seen: behind(true), now: noon + 22 * MINUTE })).toBe(0);

    // Another process has come to the end of it.
    noteTurns(slice({ failure }), failing, noon + 23 * MINUTE);
    expect(stalled({}, { failing, seen: behind(false), now: noon + 50 * MINUTE })).toBe(0);
    expect(failing.size).toBe(0);
  });

  it("is that of an outage which responses wait for, as the table knows it", () => {
    const account = { rows: new Map(), outages: { metrics: noon - HOUR } };
    expect(stalled({ outages: ["metrics"] }, { seen: seen({ account }) })).toBe(HOUR);
    expect(stalled({ outages: [] }, { seen: seen({ account }) })).toBe(0);
  });

  it("is that of books beyond one and a half times their period", () => {
    expect(stalled({ figures: figures({ oldestBooks: 1.5 * fullEvery }) })).toBe(0);
    expect(stalled({ figures: figures({ oldestBooks: 1.5 * fullEvery + HOUR }) })).toBe(HOUR);
  });

  it("is that of responses not accounted for by any pass, once there was time for a second one", () => {
    const surveys = [survey({ booksOpen: { code: "unaccounted", count: 2 } })];
    const open = { surveys, figures: figures({ unaccounted: 2 }) };
    const since = (firstTick: number) => ({ seen: seen({ basis: { firstTick } }) });
    expect(stalled(open, since(noon - DAY))).toBe(0);
    expect(stalled(open, since(noon - 1.5 * fullEvery - HOUR))).toBe(HOUR);
  });
});
