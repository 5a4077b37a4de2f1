import { expect, it } from "vitest";
import { type FailingSince, noteTurns, type StalledRequest, stalledFor } from "../../../lib/monitoring/stalled.ts";
import type { BacklogRound, SurveyRow } from "../../../lib/polling/index.ts";
import { HOUR, MINUTE, noon } from "../../support/survey.ts";

const DAY = 24 * HOUR;
const fullEvery = 7 * DAY;
const withRow = (row: object) => ({ rows: new Map([[1, row as SurveyRow]]) });
const open = { booksOpen: { code: "unaccounted", count: 2 } };

interface Given {
  figures?: object;
  outages?: string[];
  surveys?: object[];
  account?: object;
  firstTick?: number;
  failing?: FailingSince;
}

it.each<[what: string, given: Given, age: number]>([
  ["a survey whose polls fail", { figures: { failing: 20 * MINUTE } }, 20 * MINUTE],
  [
    "an outage which responses wait for, as the table knows it",
    { outages: ["metrics"], account: { rows: new Map(), outages: { metrics: noon - HOUR } } },
    HOUR,
  ],
  ["no outage that is over", { account: { rows: new Map(), outages: { metrics: noon - HOUR } } }, 0],
  ["a backlog that fails", { failing: new Map([[1, noon - HOUR]]), account: withRow({ isBehind: true }) }, HOUR],
  [
    "none that another process has come to the end of",
    { failing: new Map([[1, noon - HOUR]]), account: withRow({}) },
    0,
  ],
  ["no books at one and a half times their period", { figures: { oldestBooks: 1.5 * fullEvery } }, 0],
  ["books beyond that", { figures: { oldestBooks: 1.5 * fullEvery + HOUR } }, HOUR],
  [
    "no responses that are not accounted for by a first full read",
    { surveys: [open], figures: { unaccounted: 2 }, firstTick: noon - DAY },
    0,
  ],
  [
    "those that are not, once there was time for a second one",
    { surveys: [open], figures: { unaccounted: 2 }, firstTick: noon - 1.5 * fullEvery - HOUR },
    HOUR,
  ],
])("the age of the longest-standing trouble is that of %s", (_what, given, age) => {
  const {
    figures = {},
    outages = [],
    surveys = [],
    failing = new Map(),
    firstTick = noon - 100 * DAY,
    account,
  } = given;
  const summary = { figures, outages, surveys };
  const request = { summary, seen: { basis: { firstTick }, account }, failing, fullEvery, now: noon };
  expect(stalledFor(request as unknown as StalledRequest)).toBe(age);
});

it("a backlog fails from the first slice that did, until one does not", () => {
  const failing: FailingSince = new Map();
  const note = (failure: object | undefined, now: number) =>
    noteTurns({ turns: [{ surveyId: 1, failure }] } as unknown as BacklogRound, failing, now);
  for (const now of [noon, noon + MINUTE]) note({ code: "SERVER_ERROR" }, now);
  expect([...failing]).toEqual([[1, noon]]);
  note(undefined, noon + 2 * MINUTE);
  expect([...failing]).toEqual([]);
});
