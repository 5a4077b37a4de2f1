import { OutOfTimeError } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { SECOND } from "../../support/survey.ts";

/**
 * A service that answers each request after so long, the first that came first, no more of them at once than `places`. Aborts are the client's. The
 * worlds have one time. Gives what lets it go on to the next answer.
 */
export function serveSlowly(
  worlds: MemoryWorld[],
  places: number,
  milliseconds: number,
  abortsAt: () => number,
): () => void {
  const [first] = worlds;
  if (first === undefined) throw new Error("no world");
  const { time } = first;
  const waiting: (() => void)[] = [];
  const inFlight: { at: number; answer: () => void }[] = [];
  let taken = 0;
  const serve: MemoryWorld["before"][number] = async ({ port }) => {
    if (port !== "service") return;
    if (taken >= places) await new Promise<void>((resolve) => waiting.push(resolve));
    taken += 1;
    const answersAt = time.now + milliseconds;
    const end = Math.min(answersAt, abortsAt());
    if (time.now < end) await new Promise<void>((answer) => inFlight.push({ at: end, answer }));
    taken -= 1;
    waiting.shift()?.();
    if (answersAt > abortsAt()) throw new OutOfTimeError();
  };
  for (const world of worlds) world.before.push(serve);
  /** Lets the time go on to the next answer. */
  return () => {
    const next = inFlight.sort((a, b) => a.at - b.at).shift();
    const now = next === undefined ? time.now + SECOND / 2 : Math.max(time.now, next.at);
    for (const world of worlds) world.time.now = now;
    next?.answer();
  };
}
