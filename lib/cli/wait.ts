import { setTimeout as sleep } from "node:timers/promises";
import type { SourceConfig } from "../config/index.ts";
import { InterruptedError } from "./errors.ts";
import type { Io } from "./io.ts";
import { readSource, type SourceState } from "./target/surveys.ts";
import type { Target } from "./target/target.ts";

/** Milliseconds between two looks at what a poller does. */
const LOOK_EVERY = 1_000;
/** Ticks after which work that comes no further is not waited for, and milliseconds beyond two intervals for a tick. */
const MOST_IDLE = 30;
const PATIENCE = 300_000;

/** @throws InterruptedError at Ctrl-C */
export async function wait(milliseconds: number, { signal }: Pick<Io, "signal">): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch {
    throw new InterruptedError();
  }
}

/** Whether ticks come without this command: in a deployed stack they do, and in a run of `npm start`. */
export function isPolling({ data }: Pick<Target, "data">): boolean {
  return data === undefined || data.isRunning;
}

/** How work stands that ticks do: over; or where it is, and what to say where it is not waited for any longer. */
export type Standing<T> = { over: T } | { place: string; leave: (why: string) => T };

/**
 * Waits for the end of work that ticks do, as long as it comes further.
 *
 * @param goOn does some of it in the place of a tick
 */
export async function watchTicks<T>(
  { target, source, io }: { target: Target; source: SourceConfig; io: Pick<Io, "now" | "signal"> },
  look: (state: SourceState) => Standing<T>,
  goOn?: () => Promise<void>,
): Promise<T> {
  let idle = { place: "", ticks: 0, lastTick: 0, since: io.now() };
  for (;;) {
    const state = await readSource(target, source.name);
    const seen = look(state);
    if ("over" in seen) return seen.over;
    const { place, leave } = seen;
    const { pausedUntil, lastTick = 0 } = state.account;
    if (pausedUntil !== undefined) return leave("the source is paused");
    if (place !== idle.place) idle = { place, ticks: 0, lastTick, since: io.now() };
    else if (goOn !== undefined || lastTick !== idle.lastTick) idle = { ...idle, ticks: idle.ticks + 1, lastTick };
    if (idle.ticks >= MOST_IDLE) return leave("it comes no further");
    // Ticks come without this command, unless it does the work itself.
    const isLeft = goOn === undefined && isPolling(target);
    const patience = Math.max(lastTick, idle.since) + 2 * source.interval + PATIENCE;
    if (isLeft && io.now() > patience) return leave("no tick comes to its end");
    if (io.signal.aborted) throw new InterruptedError();
    if (isLeft) await wait(LOOK_EVERY, io);
    else await (goOn?.() ?? target.invoke({ source: source.name }));
  }
}
