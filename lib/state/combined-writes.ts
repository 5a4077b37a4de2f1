export interface CombinedWritesOptions<T> {
  /** No request may name one key twice. */
  keyOf: (item: T) => string;
  /** Most items in one request. */
  most: number;
  /** One request; gives the keys of what it left undone. */
  write: (items: T[]) => Promise<string[]>;
  /** Waits before what was left undone is written again for the given time, from 1 on; throws when it was enough. */
  backOff: (attempt: number) => Promise<void>;
}

/** Resolves once all of them are durable; rejects with what failed for one of them, when all are either durable or have failed. */
export type CombinedWrites<T> = (items: readonly T[]) => Promise<void>;

/** Milliseconds: whoever comes while a request hangs, or waits for a throttled table, goes beside it after so long, as if alone. */
const LONGEST_WAIT = 100;

interface Waiting<T> {
  key: string;
  item: T;
  /** Called once. */
  over: (failure?: { error: unknown }) => void;
}

/**
 * Writes that come while another one is under way go together, in as few requests as they fill. While nothing is under way they go at once.
 * A catch-up writes ten entries for each request to the bus where a request to the table takes 25. Of one key all writes are made one after
 * the other, in the order in which they came.
 */
export function createCombinedWrites<T>({ keyOf, most, write, backOff }: CombinedWritesOptions<T>): CombinedWrites<T> {
  let queue: Waiting<T>[] = [];
  /** Keys of what is under way. */
  const underWay = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  /** The next items whose keys are free; the others stay, and with them whatever comes after them for the same keys. */
  function takeBatch(): Map<string, Waiting<T>> {
    const batch = new Map<string, Waiting<T>>();
    const taken = new Set(underWay);
    queue = queue.filter((waiting) => {
      if (batch.size === most || taken.has(waiting.key)) return true;
      taken.add(waiting.key);
      batch.set(waiting.key, waiting);
      return false;
    });
    return batch;
  }

  /** Begins what is waiting: all of it, or only what fills requests. */
  function begin(all: boolean): void {
    while (queue.length >= (all ? 1 : most)) {
      const batch = takeBatch();
      if (batch.size === 0) break;
      for (const key of batch.keys()) underWay.add(key);
      void send(batch);
    }
    if (queue.length === 0) {
      clearTimeout(timer);
      timer = undefined;
    } else timer ??= setTimeout(beginLate, LONGEST_WAIT);
  }

  function beginLate(): void {
    timer = undefined;
    begin(true);
  }

  async function send(left: Map<string, Waiting<T>>): Promise<void> {
    const end = (waiting: Waiting<T>, failure?: { error: unknown }): void => {
      left.delete(waiting.key);
      underWay.delete(waiting.key);
      waiting.over(failure);
    };
    try {
      for (let attempt = 1; left.size > 0; attempt += 1) {
        const undone = new Set(await write([...left.values()].map(({ item }) => item)));
        for (const waiting of [...left.values()]) if (!undone.has(waiting.key)) end(waiting);
        if (left.size > 0) await backOff(attempt);
      }
    } catch (error) {
      for (const waiting of [...left.values()]) end(waiting, { error });
    }
    begin(underWay.size === 0);
  }

  return (items) =>
    new Promise((resolve, reject) => {
      let left = items.length;
      let failed: { error: unknown } | undefined;
      const over: Waiting<T>["over"] = (failure) => {
        failed ??= failure;
        left -= 1;
        if (left > 0) return;
        if (failed === undefined) resolve();
        else reject(failed.error);
      };
      if (left === 0) resolve();
      for (const item of items) queue.push({ key: keyOf(item), item, over });
      begin(underWay.size === 0);
    });
}
