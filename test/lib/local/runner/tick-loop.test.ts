import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Invoke } from "../../../../lib/local/runner/function-thread.ts";
import { runTicks, type TickLoopOptions } from "../../../../lib/local/runner/tick-loop.ts";
import type { TickSummary } from "../../../../lib/polling/index.ts";
import type { BlockedSource, PollOutput } from "../../../../lib/run/poll-sources.ts";

const noon = Date.UTC(2026, 2, 10, 12);
const SECOND = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ now: noon });
});
afterEach(() => {
  vi.useRealTimers();
});

const done: TickSummary = { source: "main", listed: 1, surveys: [], unpolled: 0, behind: 0, outages: [] };
const unfinished: TickSummary = {
  ...done,
  behind: 1,
  surveys: [{ surveyId: 1, outcome: "polled", waiting: 0, unfinished: true }],
};

/** Lasts so long, in milliseconds. */
const last = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const sinceNoon = (): number => Date.now() - noon;

const view = {
  totals: { pages: 0, emitted: 0, waiting: 0, withheld: 0 },
  say: () => {},
};

/** Runs ticks to their end; time goes by as they wait for it. */
async function run(
  invoke: Invoke,
  options: Partial<Omit<TickLoopOptions, "invoke">> & Pick<TickLoopOptions, "ticks">,
): Promise<{ ticks: number }> {
  const { signal: stop } = new AbortController();
  const running = runTicks({ invoke, interval: 0, stop, view, ...options });
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  running.then(over, over);
  while (!isOver) await vi.advanceTimersToNextTimerAsync();
  return running;
}

/** A service that asks to be left alone until then; the moments of the ticks, in seconds. */
function pausedFor(seconds: number) {
  const calls: number[] = [];
  const until = noon + seconds * SECOND;
  const invoke = async (): Promise<PollOutput> => {
    calls.push(sinceNoon() / SECOND);
    return { ticks: [Date.now() < until ? { ...done, listed: 0, pausedUntil: until } : done] };
  };
  return { invoke, calls };
}

describe("a service that asks to be left alone", () => {
  it("is polled once the pause is over, before the run ends", async () => {
    const { invoke, calls } = pausedFor(30);
    expect(await run(invoke, { ticks: 1 })).toMatchObject({ ticks: 2 });
    expect(calls).toEqual([0, 30]);
  });

  it("is not asked again and again between two ticks that follow at once", async () => {
    const { invoke, calls } = pausedFor(150);
    expect(await run(invoke, { ticks: 4 })).toMatchObject({ ticks: 4 });
    expect(calls).toEqual([0, 60, 120, 150]);
  });

  it("for more than a minute ends the run with the moment when it may be asked", async () => {
    const { invoke, calls } = pausedFor(3_600);
    await expect(run(invoke, { ticks: 1 })).rejects.toMatchObject({
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
    const invoke = async (): Promise<PollOutput> => {
      begun.push(sinceNoon());
      await last(durations[begun.length - 1] ?? 0);
      return { ticks: [done] };
    };
    await run(invoke, { ticks: durations.length, interval });
    return begun;
  }

  it("is the interval, also beside one that takes longer", async () => {
    const begun = await beginnings(2_000, [60, 7_000, 60, 60]);
    // After the last tick they go on until it is over.
    expect(begun).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000]);
  });

  it("is a second at least beside one that is at work, where there is none between ticks that follow each other", async () => {
    expect(await beginnings(0, [10, 10, 3_500, 10, 10])).toEqual([0, 10, 20, 1_020, 2_020, 3_020, 4_020]);
  });
});

// R25
describe("an invocation that works off backlogs", () => {
  /** One invocation that lasts long, and others that come beside it. */
  function beside(duration: number) {
    const begun: number[] = [];
    let most = 0;
    let atWork = 0;
    const invoke: Invoke = async (_input, stop) => {
      begun.push(sinceNoon());
      atWork += 1;
      most = Math.max(most, atWork);
      const isFirst = begun.length === 1;
      const isStopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve()));
      await Promise.race([last(isFirst ? duration : 10), isStopped]);
      atWork -= 1;
      return { ticks: [isFirst || sinceNoon() < duration ? unfinished : done] };
    };
    return { invoke, begun, most: () => most };
  }

  it("does not keep the next ticks waiting, and after the last one the run goes on until it is over", async () => {
    const { invoke, begun, most } = beside(9_500);
    expect(await run(invoke, { ticks: 2, interval: 2_000 })).toMatchObject({ ticks: begun.length });
    expect(most()).toBe(2);
    expect(begun.slice(0, 5)).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
    // One more at least has seen that nothing is left.
    expect(begun.at(-1)).toBeGreaterThanOrEqual(9_500);
    expect(begun.length).toBeLessThanOrEqual(7);
  });

  it("is told to stop, and waited for", async () => {
    const { invoke, begun } = beside(3_600_000);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 5_000);
    expect(await run(invoke, { ticks: undefined, interval: 2_000, stop: stop.signal })).toMatchObject({ ticks: 3 });
    expect(begun).toEqual([0, 2_000, 4_000]);
    expect(sinceNoon()).toBeLessThan(6_000);
  });

  it("is waited for also where one beside it ends the run by a failure", async () => {
    let isOver = false;
    let calls = 0;
    const invoke = async (): Promise<PollOutput> => {
      calls += 1;
      if (calls > 1) throw Object.assign(new Error("they are refused"), { code: "WRONG_CREDENTIALS" });
      await last(10_000);
      isOver = true;
      return { ticks: [done] };
    };
    await expect(run(invoke, { ticks: 9, interval: 2_000 })).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });
    expect({ isOver, calls }).toEqual({ isOver: true, calls: 2 });
  });

  it("that finds the service out of reach at its first tick ends the run, whatever was left to it meanwhile", async () => {
    let calls = 0;
    const invoke = async (): Promise<PollOutput> => {
      calls += 1;
      if (calls > 1) return { ticks: [{ ...done, listed: 0, isBusy: true }] };
      await last(3_500);
      throw Object.assign(new Error("out of reach"), { code: "UNREACHABLE" });
    };
    await expect(run(invoke, { ticks: 1 })).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(sinceNoon()).toBeLessThan(5_000);
  });

  it("that has done the tick itself is followed by another one, where this one has left its tick to it", async () => {
    const outputs = [{ ...done, listed: 0, isBusy: true as const }, done];
    expect(await run(async () => ({ ticks: [outputs.shift() ?? done] }), { ticks: 1 })).toMatchObject({ ticks: 2 });
  });
});

describe("after the last tick", () => {
  /** A survey with work left for so many seconds, in which nothing of it gets on. */
  const idleFor = (seconds: number) => async (): Promise<PollOutput> => ({
    ticks: [sinceNoon() < seconds * SECOND ? unfinished : done],
  });

  it("the leases that a killed process has left are waited for", async () => {
    expect(await run(idleFor(15), { ticks: 1 })).toMatchObject({ ticks: 16 });
  });

  it("work that does not get on is told, and does not keep the run for ever", async () => {
    await expect(run(idleFor(3_600), { ticks: 1 })).rejects.toMatchObject({
      code: "SURVEYS_FAILED",
      message: "survey 1: work is left that does not get on",
    });
    expect(sinceNoon()).toBeLessThan(180 * SECOND);
  });

  it("a survey whose list does not show what is counted is named at once, and at the end", async () => {
    const survey = { outcome: "polled" as const, emitted: 0, waiting: 0, withheld: 0, unfinished: true };
    const surveys = [
      { ...survey, surveyId: 6 },
      { ...survey, surveyId: 7, booksOpen: { code: "read-as-empty" as const } },
      { ...survey, surveyId: 8 },
    ];
    const said: [number, string][] = [];
    const say = (line: string): void => void said.push([sinceNoon(), line]);
    const message = "survey 7: its list shows 0 responses, and the survey list counts more";
    const invoke = async (): Promise<PollOutput> => ({ ticks: [{ ...done, surveys }] });
    await expect(run(invoke, { ticks: 1, view: { ...view, say } })).rejects.toMatchObject({ message });
    expect(said).toEqual([[0, `${message}; looked at again at the next tick`]]);
  });
});

it("a clock that is set back stops no tick", async () => {
  const began: number[] = [];
  const started = performance.now();
  const invoke = async (): Promise<PollOutput> => {
    began.push(Math.round((performance.now() - started) / SECOND));
    if (began.length === 2) vi.setSystemTime(noon - 86_400_000);
    return { ticks: [done] };
  };

  await run(invoke, { ticks: 4, interval: 60 * SECOND });

  const gaps = began.slice(1).map((at, i) => at - (began[i] ?? 0));
  for (const gap of gaps) expect(gap).toBeLessThanOrEqual(60);
});

const coded = (code: string): Error => Object.assign(new Error(`it failed by ${code}`), { code, hint: "" });

/** Runs one tick for each outcome, and stops with the last. Gives how many were made, and what was said. Each reads `pages` so many before it ends. */
async function outcomeOf(
  outcomes: readonly (Error | BlockedSource | "well")[],
  pages = 0,
): Promise<{ made: number; said: string[]; failure: unknown }> {
  const stop = new AbortController();
  const said: string[] = [];
  const totals = { ...view.totals };
  let made = 0;
  const invoke = async (): Promise<PollOutput> => {
    const outcome = outcomes[made];
    made += 1;
    totals.pages += pages;
    if (made === outcomes.length) stop.abort();
    if (outcome instanceof Error) throw outcome;
    return outcome === "well" || outcome === undefined ? { ticks: [done] } : { ticks: [], blocked: [outcome] };
  };
  const options = {
    ticks: undefined,
    stop: stop.signal,
    view: { totals, say: (line: string) => void said.push(line) },
  };
  const failure = await run(invoke, options).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { made, said, failure };
}

describe("a tick that fails", () => {
  it.each(["DYNAMODB_FAILED", "S3_FAILED", "SECRETS_MANAGER_FAILED", "TOO_MANY_REQUESTS"])(
    "by %s is told and followed by the next, also when it is the first",
    async (code) => {
      const line = `tick failed: it failed by ${code}; tried again at the next tick`;
      const ran = await outcomeOf([coded(code), coded(code), "well"]);
      expect(ran).toEqual({ made: 3, failure: undefined, said: [line, line] });
    },
  );

  it.each(["UNREACHABLE", "SERVER_ERROR", "WRONG_TOKEN"])(
    "by %s ends the command when it is the first, and not once the service was reached",
    async (code) => {
      expect(await outcomeOf([coded(code), "well"])).toMatchObject({ made: 1, failure: { code } });
      expect(await outcomeOf(["well", coded(code), "well"])).toMatchObject({ made: 3, failure: undefined });
    },
  );

  it("by SERVER_ERROR after its first pages is followed by the next: a backlog keeps the first tick at work for long", async () => {
    const said = ["tick failed: it failed by SERVER_ERROR; tried again at the next tick"];
    expect(await outcomeOf([coded("SERVER_ERROR"), "well"], 5)).toEqual({ made: 2, failure: undefined, said });
  });

  it.each(["WRONG_CREDENTIALS", "CREDENTIALS_MISSING", "STATE_REFUSED"])(
    "by %s ends the command whenever it comes",
    async (code) => {
      expect(await outcomeOf(["well", coded(code), "well"])).toMatchObject({ made: 2, failure: { code } });
    },
  );
});

describe("a source without credentials that work", () => {
  const blocked = (kind: BlockedSource["kind"], code: string): BlockedSource => ({
    source: "main",
    kind,
    code,
    message: `they are ${kind}`,
    hint: "See to them.",
  });

  it.each([
    blocked("missing", "CREDENTIALS_MISSING"),
    blocked("unreadable", "CREDENTIALS_UNREADABLE"),
    blocked("rejected", "WRONG_CREDENTIALS"),
  ])("that are $kind ends the command with what is to be done", async (problem) => {
    const { code, message, hint } = problem;
    expect(await outcomeOf(["well", problem, "well"])).toMatchObject({ made: 2, failure: { code, message, hint } });
  });

  it("whose new tokens are refused ends it when the service was never reached, and is tried again else", async () => {
    const problem = blocked("rejected", "WRONG_TOKEN");
    expect(await outcomeOf([problem, "well"])).toMatchObject({ made: 1, failure: { code: "WRONG_TOKEN" } });
    expect(await outcomeOf(["well", problem, "well"])).toMatchObject({ made: 3, failure: undefined });
  });
});
