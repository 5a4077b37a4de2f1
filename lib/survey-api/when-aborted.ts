/** The callbacks that wait for one signal, and its listener. */
class Waiting extends Set<() => void> {
  handleEvent(): void {
    for (const callback of this) callback();
  }
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `callback` when the signal is aborted, unless what this gives was called before. Hundreds of requests wait for one signal, and
 * adding or removing a listener goes through all that it has: so they share one.
 */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const waiting = waitingFor.get(signal) ?? new Waiting();
  waitingFor.set(signal, waiting);
  if (waiting.size === 0) signal.addEventListener("abort", waiting);
  waiting.add(callback);
  return () => {
    waiting.delete(callback);
    if (waiting.size === 0) signal.removeEventListener("abort", waiting);
  };
}
