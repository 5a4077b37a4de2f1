import type { Clock } from "../ports.ts";

/** Milliseconds: what has come waits for the rest no longer. */
const PERIOD = 1_000;

/**
 * Gives the outcomes of some work in groups. Each second there is a group of what has come since the last one, even if that is nothing. The
 * last group comes when everything is done. So one request that hangs keeps nothing else waiting.
 *
 * @throws the first failure, once nothing is under way any more
 */
export async function* inGroups<T>(clock: Clock, work: readonly Promise<T>[]): AsyncGenerator<T[], void, undefined> {
  const done: T[] = [];
  let failure: { error: unknown } | undefined;
  let left = work.length;
  let wake: () => void = () => undefined;
  const over = (): void => {
    left -= 1;
    if (left === 0) wake();
  };
  for (const one of work) {
    one.then(
      (outcome) => {
        done.push(outcome);
        over();
      },
      (error: unknown) => {
        failure ??= { error };
        over();
      },
    );
  }
  while (left > 0) {
    await new Promise<void>((resolve) => {
      const stop = clock.every(PERIOD, () => wake());
      wake = () => {
        stop();
        resolve();
      };
    });
    if (failure === undefined) yield done.splice(0);
  }
  if (failure !== undefined) throw failure.error;
  // The last may have come while a group was being dealt with.
  if (done.length > 0) yield done;
}
