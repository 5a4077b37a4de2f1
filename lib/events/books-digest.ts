import { createHash } from "node:crypto";

/** The sum of event ids, whatever their order: as in `data.digest` of a `books.closed` event. */
export type BooksDigest = {
  count: number;
  /** 64 hexadecimal digits. */
  sum: string;
};

/**
 * A sum of the ids of the latest event of each response. An id is added once, and removed when a later revision of the same response comes.
 */
export interface DigestSum {
  add(eventId: string): void;
  remove(eventId: string): void;
  digest(): BooksDigest;
}

/** Begins with nothing, or goes on from a digest that was kept. */
export function digestSum(from: BooksDigest = { count: 0, sum: "0" }): DigestSum {
  let count = from.count;
  let sum = BigInt(`0x${from.sum}`);
  const change = (by: 1 | -1, eventId: string): void => {
    count += by;
    sum = BigInt.asUintN(256, sum + BigInt(by) * BigInt(`0x${createHash("sha256").update(eventId).digest("hex")}`));
  };
  return {
    add: (eventId) => change(1, eventId),
    remove: (eventId) => change(-1, eventId),
    digest: () => ({ count, sum: sum.toString(16).padStart(64, "0") }),
  };
}

/** Of the same event ids all that a `books.closed` event says: the digest, and what a warehouse can compute in SQL. */
export interface BooksSums {
  digest: BooksDigest;
  /** Sum of the first 32 bits of each id, in decimal digits. */
  eventIdSum: string;
  /** How many ids begin with each byte: 256 counts. */
  buckets: number[];
}

/** Begins with nothing. */
export function booksSums(): { add(eventId: string): void; sums(): BooksSums } {
  const digest = digestSum();
  let sum = 0n;
  const buckets: number[] = new Array(256).fill(0);
  return {
    add(eventId) {
      digest.add(eventId);
      const bits = Number.parseInt(eventId.slice(0, 8), 16);
      sum += BigInt(bits);
      buckets[bits >>> 24] = (buckets[bits >>> 24] ?? 0) + 1;
    },
    sums: () => ({ digest: digest.digest(), eventIdSum: `${sum}`, buckets: [...buckets] }),
  };
}

/** How what a consumer has stands to closed books. */
export type BooksVerdict =
  | { kind: "complete" }
  /** So many events have not come, at least. */
  | { kind: "missing"; count: number }
  /** The consumer has so many more: they came after the books closed. Later books tell. */
  | { kind: "ahead"; count: number }
  /** As many, but not the same: an update has not come, or has come since the books closed. */
  | { kind: "different" };

/**
 * Whether a consumer has everything that a survey had given out when its books closed.
 *
 * @param own the ids of the latest event of each response of the survey, in any order, with any repeats. Or the digest that it keeps of
 * them. Only events whose `meta.detectedAt` is not after that of `books` belong to it
 * @param books a `books.closed` event's detail
 */
export function verifyBooks(
  own: Iterable<string> | BooksDigest,
  books: { data: { digest: BooksDigest } },
): BooksVerdict {
  const { digest } = books.data;
  const mine = Symbol.iterator in own ? digestOf(own) : own;
  if (mine.count < digest.count) return { kind: "missing", count: digest.count - mine.count };
  if (mine.count > digest.count) return { kind: "ahead", count: mine.count - digest.count };
  return mine.sum.toLowerCase() === digest.sum ? { kind: "complete" } : { kind: "different" };
}

function digestOf(eventIds: Iterable<string>): BooksDigest {
  const sum = digestSum();
  for (const eventId of new Set(eventIds)) sum.add(eventId);
  return sum.digest();
}
