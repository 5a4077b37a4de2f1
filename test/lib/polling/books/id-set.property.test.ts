import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeIds, encodeIds } from "../../../../lib/polling/books/id-set.ts";

const id = fc.oneof(
  fc.maxSafeNat(),
  fc.integer({ min: 0, max: 1_000 }),
  // Where the number of bytes changes, and where 32-bit arithmetic would break.
  fc.constantFrom(0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1),
);
const ascending = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);

it("any set of ids comes back as it was", () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 300 }), (ids) => {
      expect(ascending(decodeIds(encodeIds(ids)))).toEqual(ascending(ids));
    }),
    { seed: 20_261_121, numRuns: 500 },
  );
});

it("the same set gives the same text, in whatever order it was met", () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 100 }), (ids) => {
      expect(encodeIds(ids.toReversed())).toBe(encodeIds(ids));
    }),
    { seed: 20_261_121, numRuns: 100 },
  );
});

it("ids a hundred or so apart take two bytes each, so that a million of them fit into 2 MB", () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => 1_000_000_000 + i * 130);
  expect(Buffer.from(encodeIds(ids), "base64").length).toBeLessThanOrEqual(2 * ids.length + 8);
});
