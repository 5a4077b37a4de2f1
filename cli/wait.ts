import { setTimeout as sleep } from "node:timers/promises";
import { InterruptedError } from "./errors.ts";
import type { Io } from "./io.ts";
import type { Target } from "./target/target.ts";

/** Milliseconds between two looks at what a poller does. */
const LOOK_EVERY = 1_000;

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

/** Lets the poller go on: waits a moment where ticks come without this command, and else makes one. */
export async function letItPoll(target: Target, source: string, io: Pick<Io, "signal">): Promise<void> {
  if (io.signal.aborted) throw new InterruptedError();
  if (isPolling(target)) return wait(LOOK_EVERY, io);
  await target.invoke({ source });
}
