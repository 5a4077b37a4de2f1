/** Goes on with a walk while its steps are dealt with, as far as `most` steps before them. Where it is left, what was done before its turn is left with it. */
export function readAhead<T, R>(steps: AsyncGenerator<T, R>, most: number): AsyncIterableIterator<T, R> {
  let isOver = false;
  let latest: Promise<unknown> = Promise.resolve();
  const begin = (): Promise<IteratorResult<T, R>> => {
    // One after the other, so that none is begun any more once the walk is left.
    const step = latest.then(() => (isOver ? steps.return(undefined as never) : steps.next()));
    // A failure is told when that step is asked for.
    latest = step.catch(() => undefined);
    return step;
  };
  const begun = Array.from({ length: most }, begin);
  const ahead: AsyncIterableIterator<T, R> = {
    next() {
      begun.push(begin());
      return begun.shift() ?? begin();
    },
    async return() {
      isOver = true;
      await latest;
      return steps.return(undefined as never);
    },
    [Symbol.asyncIterator]: () => ahead,
  };
  return ahead;
}
