import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TickSummary } from "../../../lib/polling/tick/tick-summary.ts";
import { runTicks } from "../../../local/runner/tick-loop.ts";

const noon = Date.UTC(2026, 2, 10, 12);
const SECOND = 1_000;

// Sleeping moves the clock, and takes no time.
vi.mock("node:timers/promises", () => ({
  setTimeout: async (milliseconds: number): Promise<void> => {
    vi.setSystemTime(Date.now() + milliseconds);
  },
}));
beforeEach(() => {
  vi.useFakeTimers({ now: noon, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const done: TickSummary = { source: "main", listed: 1, surveys: [], unpolled: 0, outages: [] };

/** A service that asks to be left alone until then; the moments of the ticks, in seconds. */
function pausedFor(seconds: number) {
  const calls: number[] = [];
  const until = noon + seconds * SECOND;
  const handler = async () => {
    calls.push((Date.now() - noon) / SECOND);
    return { ticks: [Date.now() < until ? { ...done, listed: 0, pausedUntil: until } : done] };
  };
  return { handler, calls };
}

const view = {
  totals: { emitted: 0, waiting: 0, withheld: 0 },
  say: () => {},
  stop: () => {},
};

const run = (handler: () => Promise<{ ticks: TickSummary[] }>, ticks: number) =>
  runTicks({ handler, ticks, interval: 0, stop: new AbortController().signal, view });

describe("a service that asks to be left alone", () => {
  it("is polled once the pause is over, before the run ends", async () => {
    const { handler, calls } = pausedFor(30);
    expect(await run(handler, 1)).toMatchObject({ ticks: 2 });
    expect(calls).toEqual([0, 30]);
  });

  it("is not asked again and again between two ticks that follow at once", async () => {
    const { handler, calls } = pausedFor(150);
    expect(await run(handler, 4)).toMatchObject({ ticks: 4 });
    expect(calls).toEqual([0, 60, 120, 150]);
  });

  it("for more than a minute ends the run with the moment when it may be asked", async () => {
    const { handler, calls } = pausedFor(3_600);
    await expect(run(handler, 1)).rejects.toMatchObject({
      code: "SURVEYS_FAILED",
      message: "the survey service asks to be left alone until 2026-03-10T13:00:00.000Z",
    });
    expect(calls.length).toBeLessThanOrEqual(5);
  });
});

describe("the time between ticks", () => {
  /** The moments at which ticks begin that take so long each, in milliseconds. */
  async function beginnings(interval: number, durations: number[]): Promise<number[]> {
    const begun: number[] = [];
    const handler = async () => {
      begun.push(Date.now() - noon);
      vi.setSystemTime(Date.now() + (durations[begun.length - 1] ?? 0));
      return { ticks: [done] };
    };
    await runTicks({ handler, ticks: durations.length, interval, stop: new AbortController().signal, view });
    return begun;
  }

  it("leaves each its own time within the interval: what completes right after one has read the list goes out by the end of the next", async () => {
    expect(await beginnings(2_000, [60, 60, 60, 20])).toEqual([0, 1_940, 3_880, 5_820]);
  });

  it("is as after the slowest of the last ten", async () => {
    const begun = await beginnings(2_000, [80, ...Array<number>(11).fill(10)]);
    const between = begun.slice(1).map((at, i) => at - (begun[i] ?? 0));
    expect(between).toEqual([...Array<number>(10).fill(1_920), 1_990]);
  });

  it("is never shorter than the interval by more than a twentieth", async () => {
    expect(await beginnings(2_000, [1_500, 5, 5])).toEqual([0, 1_900, 3_800]);
  });

  it("is what a tick takes, where that is longer than the interval", async () => {
    expect(await beginnings(2_000, [2_500, 2_500, 0])).toEqual([0, 2_500, 5_000]);
  });
});

describe("after the last tick", () => {
  const unfinished: TickSummary = {
    ...done,
    surveys: [{ surveyId: 1, outcome: "polled", emitted: 0, waiting: 0, withheld: 0, unfinished: true }],
  };
  /** A survey with work left for so many seconds, in which nothing of it gets on. */
  const idleFor = (seconds: number) => async () => ({
    ticks: [Date.now() < noon + seconds * SECOND ? unfinished : done],
  });

  it("a slice whose message was lost is waited for: it is queued again after two minutes", async () => {
    expect(await run(idleFor(122), 1)).toMatchObject({ ticks: 123 });
  });

  it("work that does not get on is told, and does not keep the run for ever", async () => {
    await expect(run(idleFor(3_600), 1)).rejects.toMatchObject({
      code: "SURVEYS_FAILED",
      message: "some surveys have work left that does not get on",
    });
    expect(Date.now()).toBeLessThan(noon + 180 * SECOND);
  });
});
