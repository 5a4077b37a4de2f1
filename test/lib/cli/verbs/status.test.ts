import { expect, it } from "vitest";
import type { SourceStatus, StatusAnswer, SurveyStatus } from "../../../../lib/cli/verbs/status/answer.ts";
import { problemOf, progressOf, statusText, surveyProblem, verdictOf } from "../../../../lib/cli/verbs/status/verb.ts";

const now = Date.parse("2026-03-10T12:00:00Z");
const ago = (seconds: number): number => now - seconds * 1_000;
const source = {
  ...{ source: "main", pausedUntil: null, pausedSince: null, rate: null, outages: [], unlisted: [] },
  ...{ start: null, awaits: [] },
  ...{ firstTick: ago(900), lastTick: ago(2), listedAt: ago(2) },
};
const problem = (more: Partial<Parameters<typeof problemOf>[0]>) =>
  problemOf({ ...source, ...more }, { interval: 60_000, now });

it("says of a run that somebody has ended that it is to be started again", () => {
  const status = { ...source, lastTick: ago(3_600), listedAt: ago(3_600) };
  const said = "Not polled for 1 h: the last run on main ended as it should. Start it again.";
  expect(problemOf(status, { interval: 60_000, now, hasEnded: true })).toBe(said);
});

it.each([
  ["all is well", {}, null],
  ["a list that has failed in one tick", { lastTick: ago(5), listedAt: ago(65) }, null],
  [
    "a list that fails tick after tick",
    { lastTick: ago(5), listedAt: ago(425) },
    "Late: the survey list of main could not be read for 7 min; nothing is lost.",
  ],
  [
    "a list that was never read",
    { listedAt: null },
    "Late: the survey list of main could not be read yet; nothing is lost.",
  ],
  [
    "a tick that has not come",
    { lastTick: ago(600), listedAt: ago(600) },
    "Late: the last tick of main came to its end 10 min ago.",
  ],
  [
    "a start that waits for a survey",
    { awaits: [7] },
    "Late: it is not known yet where history begins, as survey 7 of main counts responses and shows none. The third tick leaves it out; nothing is lost.",
  ],
  ["a source that was never polled", { firstTick: null, lastTick: null }, "Source main has not been polled yet."],
  [
    "a source whose first tick has not ended",
    { firstTick: ago(12), lastTick: null },
    "First poll of main under way for 12 s: what it meets goes out at once.",
  ],
  [
    "a service that asks to be left alone",
    { pausedUntil: ago(-90) },
    "Late: the service of main asks to be left alone until 2026-03-10 12:01:30 UTC. Nothing is lost.",
  ],
])("%s", (_what, more, said) => {
  expect(problem(more)).toBe(said);
});

it("is late while the service is out of reach, and not yet known before the first tick", () => {
  const verdict = (more: object): string => {
    const status = { ...source, ...more };
    const sources = [{ ...status, problem: problemOf(status, { interval: 60_000, now }) }];
    return verdictOf({ sources, surveys: [], end: null, flags: "--data d", now }).verdict;
  };

  expect(verdict({ listedAt: ago(425) })).toBe("late");
  expect(verdict({ firstTick: null, lastTick: null })).toBe("unknown");
  expect(verdict({ lastTick: null })).toBe("working");
});

const books = {
  ...{ listed: 29, emitted: 6, beforeStart: 0, open: 0, waiting: 0, held: 23, quarantined: 0, refused: 0 },
  closedAt: now - 12_000,
};
const none = { open: 0, waiting: 0, held: 0, quarantined: 0, refused: 0 };
const survey = (more: Partial<SurveyStatus> = {}): SurveyStatus => ({
  ...{ source: "main", surveyId: 7, name: "Onboarding", phase: "head", highWater: null, lag: null },
  ...{ lastPoll: now - 1_000, failingSince: null, problem: null },
  ...{ now: none, backlog: null, books, booksOpen: null, unaccounted: 0 },
  ...more,
});
const sourceOf = (more: Partial<SourceStatus> = {}): SourceStatus => ({
  ...{ source: "main", firstTick: 1, lastTick: now, listedAt: now, pausedUntil: null, pausedSince: null },
  ...{ rate: null, outages: [], unlisted: [], start: null, awaits: [], problem: null },
  ...more,
});

function said(surveys: SurveyStatus[], { sources = [sourceOf()], width = 1_000, all = false } = {}) {
  const status: StatusAnswer = {
    ...verdictOf({ sources, surveys, end: null, flags: "--data d", now }),
    ...{ run: null, end: null, sources, surveys },
  };
  return { ...status, lines: statusText(status, { style: (_, text) => text, now: () => now, width, all }) };
}

it.each([
  ["held", { held: 23 }, "23 responses do not go out: 23 held.", "audit --survey 7 --source main --now --yes --data d"],
  [
    "set aside",
    { held: 1, refused: 1 },
    "2 responses do not go out: 1 held, 1 refused.",
    "quarantine list --survey 7 --source main --data d",
  ],
  [
    "quarantined",
    { quarantined: 1 },
    "1 response does not go out: 1 quarantined.",
    "quarantine list --survey 7 --source main --data d",
  ],
])("is not complete while something is %s", (_what, some, sentence, next) => {
  expect(said([survey({ now: { ...none, ...some } })])).toMatchObject({
    verdict: "withheld",
    sentence,
    next: `survey-poller ${next}`,
  });
});

const DAY = 86_400_000;

it.each([
  ["no failure", {}, null],
  ["a failure that may pass at the next tick", { failingSince: ago(130) }, null],
  [
    "polls that fail, whatever the books say",
    { failingSince: ago(540) },
    "Late: the polls of Onboarding (7) have failed for 9 min; nothing is lost.",
  ],
  [
    "books that should have been closed again by now",
    { books: { ...books, closedAt: now - 90 * DAY } },
    "Late: the books of Onboarding (7) were closed 90 d ago, and are to be closed every 7 d.",
  ],
])("a survey: %s", (_what, more, problem) => {
  const at = { interval: 60_000, fullEvery: 7 * DAY, now };
  expect(surveyProblem(survey(more), at)).toBe(problem);
  // A survey that is listed no more has no further books.
  if (!("failingSince" in more)) expect(surveyProblem(survey(more), { ...at, fullEvery: Infinity })).toBeNull();
});

it("is late while one of the surveys is, which comes first", () => {
  const failing = survey({ surveyId: 8, failingSince: ago(540), problem: "Late: 8." });
  const { verdict, sentence, next, lines } = said([survey(), failing, { ...failing, surveyId: 9 }]);
  expect([verdict, sentence, next]).toEqual([
    "late",
    "Late: 8. So it is with 1 other survey.",
    "survey-poller doctor --data d",
  ]);
  expect(lines[4]).toMatch(/^Onboarding \(8\) +fails for 9 min /);
});

it("says how many are unaccounted in which survey", () => {
  const { sentence } = said([survey({ unaccounted: 1 }), survey({ surveyId: 8, name: "Support", unaccounted: 2 })]);
  expect(sentence).toBe("2 unaccounted in Support (8), 1 in 1 other survey.");
});

it("is complete where nothing is open, with a row for each survey", () => {
  const { lines, ...status } = said([survey({ books: { ...books, emitted: 29, held: 0 } })]);
  expect(status).toMatchObject({ verdict: "complete", listed: 29, accounted: 29, next: null });
  expect(lines[0]).toBe("● Complete. 29 listed, 29 accounted for; proved 12 s ago.");
  expect(lines.at(-1)).toMatch(/^Onboarding \(7\).* 29 +29$/);
});

it("says beside it why the source is late", () => {
  const late = sourceOf({ problem: "Late: nobody polls." });
  const { sentence, verdict } = said([survey({ now: { ...none, held: 2 } })], { sources: [late] });
  expect([verdict, sentence]).toEqual(["withheld", "2 responses do not go out: 2 held. Late: nobody polls."]);
});

it("says of which source a row is, where there are several", () => {
  const sources = [sourceOf(), sourceOf({ source: "other" })];
  const surveys = [survey(), survey({ source: "other", unaccounted: 2 })];
  const { lines, next } = said(surveys, { sources });

  expect(lines.slice(3).map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ["source", "survey"],
    ["other", "Onboarding (7)"],
    ["main", "Onboarding (7)"],
  ]);
  expect(next).toContain("audit --survey 7 --source other");
  expect(said([survey()]).lines[2]).toMatch(/^survey /);
});

it("cuts the table to the terminal, and sums the healthy ones", () => {
  const healthy = Array.from({ length: 50 }, (_, i) =>
    survey({ surveyId: 100 + i, name: `${i} ${"long name ".repeat(40)}` }),
  );
  const { lines } = said([...healthy, survey({ now: { ...none, open: 3, waiting: 1 } })], { width: 100 });

  expect(lines.slice(2)).toEqual([
    expect.stringMatching(/^survey +polled/),
    expect.stringMatching(/^Onboarding \(7\).* 3 +1 /),
    "",
    "50 surveys proved within 12 s, 1,450 listed: --all shows them.",
  ]);
  const shown = said(healthy, { width: 100, all: true }).lines.slice(2);
  expect(shown).toHaveLength(51);
  expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(Math.max(...said(healthy, { all: true }).lines.map((line) => line.length))).toBeLessThan(200);
});

it("tells of a first read how much is emitted, of what, and when it will be done", () => {
  const emittedAt = Array.from({ length: 600 }, (_, i) => now - 60_000 + 100 * i + 1);
  const reading = { page: 31, lastPage: undefined, listed: 20_600, rate: Infinity, details: 2, now };
  const backlog = progressOf({ ...reading, emittedAt });

  // 600 of 20,600 responses took 30 pages, and a minute.
  const figures = { page: 31, pages: 1_030, part: 600 / 20_600, emitted: 600, expected: 20_600 };
  expect(backlog).toEqual({ ...figures, left: expect.any(Number) });
  expect(Math.round((backlog.left ?? 0) / 1_000)).toBe(2_000);
  const { verdict, sentence, lines } = said([survey({ phase: "backlog", backlog, books: null })]);
  expect(verdict).toBe("working");
  expect(sentence).toBe(
    "First read 2 %: 600 of about 20,600 emitted, done about 12:33 UTC; Onboarding (7). News go out meanwhile.",
  );
  expect(lines.at(-1)).toContain("600 of about 20,600 emitted, done in about 33 min");
});

it("says no percent of a first read of which it is not known how long it is", () => {
  const reading = {
    page: 42,
    lastPage: undefined,
    listed: 4_200,
    emittedAt: undefined,
    rate: Infinity,
    details: 2,
    now,
  };
  expect(progressOf(reading)).toMatchObject({ page: 42, pages: null, part: null, left: null });
  expect(progressOf({ ...reading, lastPage: 84 })).toMatchObject({ pages: 84, part: 41 / 84 });
});
