import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BooksDigest, booksSums, digestSum, verifyBooks } from "../../../lib/events/index.ts";

const ids = fc.uniqueArray(fc.uuid(), { maxLength: 20 });
const sumOf = (eventIds: readonly string[]): BooksDigest => {
  const sum = digestSum();
  for (const id of eventIds) sum.add(id);
  return sum.digest();
};
const books = (eventIds: readonly string[]) => ({ data: { digest: sumOf(eventIds) } });

describe("the digest of the books", () => {
  it("is the sum of the SHA-256 of each id, modulo 2^256", () => {
    const some = ["976cb15d-378b-57e3-9870-8e8c4c8a7b02", "49f0d12f-42fb-5c2d-984e-18aa7fb53f02"];
    const byHand = some.reduce((sum, id) => sum + BigInt(`0x${createHash("sha256").update(id).digest("hex")}`), 0n);
    expect(sumOf(some)).toEqual({ count: 2, sum: (byHand % 2n ** 256n).toString(16).padStart(64, "0") });
    expect(sumOf([])).toEqual({ count: 0, sum: "0".repeat(64) });
  });

  it("does not depend on the order, goes on from what was kept, and forgets what is taken away", () => {
    fc.assert(
      fc.property(ids, fc.uuid(), (some, other) => {
        const sum = digestSum(sumOf([other, ...some.slice(0, 3)]));
        for (const id of some.slice(3).toReversed()) sum.add(id);
        sum.remove(other);
        expect(sum.digest()).toEqual(sumOf(some));
      }),
    );
  });
});

describe("the sums that SQL can compute", () => {
  it("add the first 32 bits of each id, and count ids by their first byte", () => {
    const sums = booksSums();
    const some = ["ffffffff-378b-57e3-9870-8e8c4c8a7b02", "ff00000a-42fb-5c2d-984e-18aa7fb53f02"];
    for (const id of [...some, "0000000b-42fb-5c2d-984e-18aa7fb53f02"]) sums.add(id);
    const { eventIdSum, buckets, digest } = sums.sums();
    expect(eventIdSum).toBe(`${0xffffffff + 0xff00000a + 0x0000000b}`);
    expect([buckets.length, buckets[0], buckets[0xff]]).toEqual([256, 1, 2]);
    expect(buckets.reduce((all, count) => all + count)).toBe(digest.count);
  });

  it("say nothing of no ids", () => {
    expect(booksSums().sums()).toEqual({ digest: sumOf([]), eventIdSum: "0", buckets: Array(256).fill(0) });
  });
});

describe("verifyBooks", () => {
  it("tells a consumer that has everything so, from its ids as from its sum", () => {
    fc.assert(
      fc.property(ids, (some) => {
        expect(verifyBooks(some.toReversed(), books(some))).toEqual({ kind: "complete" });
        expect(verifyBooks(new Set(some), books(some))).toEqual({ kind: "complete" });
        expect(verifyBooks(sumOf(some), books(some))).toEqual({ kind: "complete" });
      }),
    );
  });

  it("takes an id that comes twice for one, whatever else is missing", () => {
    expect(verifyBooks(["a", "b", "a"], books(["a", "b"]))).toEqual({ kind: "complete" });
    expect(verifyBooks(["a", "a", "a"], books(["a", "b", "c"]))).toEqual({ kind: "missing", count: 2 });
  });

  it("counts what is missing and what is more, and sees one id in the place of another", () => {
    expect(verifyBooks(["a"], books(["a", "b", "c"]))).toEqual({ kind: "missing", count: 2 });
    expect(verifyBooks(["a", "b", "c"], books(["a"]))).toEqual({ kind: "ahead", count: 2 });
    expect(verifyBooks(["a", "b"], books(["a", "c"]))).toEqual({ kind: "different" });
    expect(verifyBooks([], books([]))).toEqual({ kind: "complete" });
  });
});
