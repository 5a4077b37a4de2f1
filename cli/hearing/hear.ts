import type { Io } from "../io.ts";
import { clock, span } from "../words.ts";

/** Milliseconds of silence after which it is said. */
const QUIET = 60_000;
/** Seconds for which one request waits for events. */
const LONGEST_POLL = 5;

export interface Hearing extends Pick<Io, "now" | "say" | "signal"> {
  /** Takes what is in the queue, and waits so many seconds for it. Nothing once it is interrupted. */
  receive: (waitSeconds: number) => Promise<readonly string[]>;
  /** Epoch milliseconds at which it ends, or Infinity. */
  until: number;
  /** Events after which it ends. */
  count: number;
}

/** Events as they were delivered. Ends at its time, after its number of events, or when it is interrupted. */
export async function* hear({ receive, until, count, now, say, signal }: Hearing): AsyncGenerator<string, void> {
  const since = now();
  let heard = 0;
  let lastHeard: number | undefined;
  let spoke = since;
  while (!signal.aborted && heard < count && now() < until) {
    const left = Math.ceil((until - now()) / 1_000);
    const bodies = await receive(Math.min(LONGEST_POLL, left));
    for (const body of bodies.slice(0, count - heard)) {
      heard += 1;
      lastHeard = now();
      spoke = lastHeard;
      yield body;
    }
    if (bodies.length > 0 || now() - spoke < QUIET || signal.aborted) continue;
    spoke = now();
    const silence = span(spoke - (lastHeard ?? since));
    say(
      lastHeard === undefined
        ? `nothing heard for ${silence}; listening since ${clock(since)}`
        : `nothing heard for ${silence}; the last of ${heard} was heard at ${clock(lastHeard)}`,
    );
  }
}
