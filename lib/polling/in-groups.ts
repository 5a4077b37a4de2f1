import type { Clock } from "./ports.ts";

/** Milliseconds in which nothing more has come: what is there by then waits for the rest no longer. */
const LULL = 1_000;

/**
 * Gives what becomes of some work in groups, as it is done: all that is there in a lull, or once everything is done. So one request that
 * hangs keeps nothing else waiting (I9).
 *
 * @throws the first failure, once nothing is under way any more
 */
export async function* inGroups<T>(clock: Clock, work: readonly Promise<T>[]): AsyncGenerator<T[], void, undefined> {
  const done: T[] = [];
  let failure: { error: unknown } | undefined;
  let left = work.length;
  let lastAt = clock.now();
  let allDone: () => void = () => undefined;
  for (const one of work) {
    const count = (): void => {
      left -= 1;
      lastAt = clock.now();
      if (left === 0) allDone();
    };
    one.then(
      (outcome) => {
        done.push(outcome);
        count();
      },
      (error: unknown) => {
        failure ??= { error };
        count();
      },
    );
  }
  while (left > 0) {
    await new Promise<void>((resolve) => {
      const stop = clock.every(LULL, () => {
        if (done.length > 0 && clock.now() - lastAt >= LULL) allDone();
      });
      allDone = () => {
        stop();
        resolve();
      };
    });
    if (failure === undefined && done.length > 0) yield done.splice(0);
  }
  if (failure !== undefined) throw failure.error;
  // The last may have come while a group was being dealt with.
  if (done.length > 0) yield done;
}
