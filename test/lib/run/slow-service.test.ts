import { afterEach, expect, it, vi } from "vitest";
import { OutOfTimeError } from "../../../lib/polling/index.ts";
import { pollSources, RESERVE } from "../../../lib/run/poll-sources.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { addSurvey, at, deliveredIds, MINUTE, range, SECOND, worldWith } from "../../support/survey.ts";
import { memoryGraph } from "../support/graph.ts";
import { memoryLog } from "../support/log.ts";

afterEach(() => void vi.restoreAllMocks());

const INVOCATION = 15 * MINUTE;
const RESPONSES = 60;

/**
 * Lets the service answer each request after so long, the first that came first, no more of them at once than `places`. Aborts are the client's. Gives what lets
 * the time go on to the next answer.
 */
function serveSlowly({ time, before }: MemoryWorld, places: number, wait: number, abortsAt: () => number): () => void {
  const waiting: (() => void)[] = [];
  const inFlight: { at: number; answer: () => void }[] = [];
  let taken = 0;
  before.push(async ({ port }) => {
    if (port !== "service") return;
    if (taken >= places) await new Promise<void>((resolve) => waiting.push(resolve));
    taken += 1;
    const answersAt = time.now + wait;
    const end = Math.min(answersAt, abortsAt());
    if (time.now < end) await new Promise<void>((answer) => inFlight.push({ at: end, answer }));
    taken -= 1;
    waiting.shift()?.();
    if (answersAt > abortsAt()) throw new OutOfTimeError();
  });
  return () => {
    const next = inFlight.sort((a, b) => a.at - b.at).shift();
    time.now = next === undefined ? time.now + SECOND / 2 : Math.max(time.now, next.at);
    next?.answer();
  };
}

// R26
it.each([
  { concurrency: 1, surveys: 5, seconds: 29 },
  { concurrency: 1, surveys: 20, seconds: 15 },
  { concurrency: 2, surveys: 20, seconds: 25 },
])(
  "$concurrency requests at once of $seconds s each bring $surveys surveys further, invocation by invocation",
  async ({ concurrency, surveys, seconds }) => {
    const responses = (surveyId: number) =>
      range(1, RESPONSES).map((k) => ({ surveyId, responseId: surveyId * 1_000 + k, completed: at(-k), size: 5 }));
    const world = worldWith(responses(1));
    for (const surveyId of range(2, surveys)) addSurvey(world, surveyId, responses(surveyId));
    vi.spyOn(Date, "now").mockImplementation(() => world.time.now);
    let abortsAt = 0;
    const goOn = serveSlowly(world, concurrency, seconds * SECOND, () => abortsAt);
    const logger = memoryLog();
    const out: number[] = [];
    for (const number of range(1, 12)) {
      const end = world.time.now + INVOCATION;
      abortsAt = end - RESERVE;
      let isOver = false;
      const graphs = [memoryGraph(world, { advanced: { concurrency } })];
      const remaining = () => end - world.time.now;
      const polled = pollSources({ graphs, owner: `${number}`, remaining, logger }).then(() => {
        isOver = true;
      });
      while (!isOver) {
        for (let turn = 0; turn < 30 && !isOver; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        if (!isOver) goOn();
      }
      await polled;
      expect(world.time.now).toBeLessThanOrEqual(end);
      out.push(deliveredIds(world).length);
      world.time.now = end;
    }
    // That the time is over is no failure.
    expect(logger.lines.filter(({ level }) => level !== "info")).toEqual([]);
    // The first invocations go by what is compared with operation 9, once for each survey.
    const [half = 0, whole = 0] = [out[5], out[11]];
    expect(half).toBeGreaterThan(0);
    // One request of each round is for the survey list.
    expect(whole).toBeGreaterThanOrEqual(half + 5 * 6);
  },
  30_000,
);
