const WINDOW = 600_000;

/** Of these epoch milliseconds those of the last ten minutes; a clock that is set back forgets. */
export function recent(times: readonly number[], now: number): number[] {
  return times.filter((at) => Math.abs(now - at) < WINDOW);
}

/** Counts what happened in the last ten minutes. */
export function createRecentTimes(now: () => number): { add(): void; count(): number } {
  let times: number[] = [];
  return {
    add: () => void times.push(now()),
    count() {
      times = recent(times, now());
      return times.length;
    },
  };
}
