/** A walk of which some steps are done before anyone asks for them. */
export interface Ahead<T, R> {
  next(): Promise<IteratorResult<T, R>>;
  /** Ends the walk; what was done before its turn is left. */
  stop(): Promise<void>;
}

/** Goes on with a walk while its steps are dealt with, as far as `most` steps before them. */
export function readAhead<T, R>(steps: AsyncGenerator<T, R>, most: number): Ahead<T, R> {
  const done: Promise<IteratorResult<T, R>>[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  const pump = (async () => {
    while (!isOver) {
      const step = steps.next();
      // A failure is told when that step is asked for.
      step.catch(() => undefined);
      done.push(step);
      wake();
      const isLast = await step.then(
        (result) => result.done === true,
        () => true,
      );
      if (isLast) isOver = true;
      while (done.length >= most && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  })();
  return {
    async next() {
      while (done.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const [step] = done.splice(0, 1);
      wake();
      if (step === undefined) throw new RangeError("a walk that has ended has no next step");
      return step;
    },
    async stop() {
      isOver = true;
      wake();
      await pump;
      await steps.return(undefined as never);
    },
  };
}
