import { expect, it } from "vitest";
import { problemOf, verdictOf } from "../../../cli/verbs/status/verdict.ts";

const now = Date.parse("2026-03-10T12:00:00Z");
const ago = (seconds: number): number => now - seconds * 1_000;
const source = {
  ...{ source: "main", pausedUntil: null, pausedSince: null, rate: null, outages: [], unlisted: [] },
  ...{ start: null, awaits: [] },
  ...{ firstTick: ago(900), lastTick: ago(2), listedAt: ago(2) },
};
const problem = (more: Partial<Parameters<typeof problemOf>[0]>) =>
  problemOf({ ...source, ...more }, { interval: 60_000, now });

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
    "Late: the service of main asks to be left alone until 2026-03-10 12:01:30 UTC; nothing is lost.",
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
