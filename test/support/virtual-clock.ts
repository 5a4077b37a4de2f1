import type { Clock } from "../../lib/polling/index.ts";

export interface VirtualTime {
  /** Epoch milliseconds. Setting it later does what was to be done meanwhile. */
  now: number;
}

/** A clock that stands until a test moves it, and the time by which it is moved. */
export function virtualClock(start: number): { clock: Clock; time: VirtualTime } {
  let now = start;
  const timers = new Set<{ next: number; distance: number; work: () => void }>();
  const time: VirtualTime = {
    get now() {
      return now;
    },
    set now(moment) {
      now = moment;
      for (const timer of timers) {
        if (timer.next > now) continue;
        // As with a real interval after a stall: what was missed is done once.
        timer.next = now + timer.distance;
        timer.work();
      }
    },
  };
  const every: Clock["every"] = (distance, work) => {
    const timer = { next: now + distance, distance, work };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  return { time, clock: { now: () => now, every } };
}
