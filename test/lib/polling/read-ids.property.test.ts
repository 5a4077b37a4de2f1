import fc from "fast-check";
import { expect, it } from "vitest";
import { ReadIds } from "../../../lib/polling/read-ids.ts";

const ids = fc.uniqueArray(fc.nat({ max: 2 ** 45 }), { maxLength: 200 });

// R10
it("ids come back as they were kept, the open ones too", () => {
  fc.assert(
    fc.property(ids, fc.array(fc.boolean()), (all, open) => {
      const kept = new ReadIds();
      for (const [i, id] of all.entries()) kept.add(id, open[i] === true);
      const read = ReadIds.fromText(kept.toText());
      expect([...read.all].sort((a, b) => a - b)).toEqual(all.toSorted((a, b) => a - b));
      expect(all.map((id) => read.hasCompleted(id))).toEqual(all.map((id) => kept.hasCompleted(id)));
    }),
  );
});

it("one that was open counts as completed once it was met so", () => {
  const kept = new ReadIds([7], [7]);
  expect([kept.has(7), kept.hasCompleted(7)]).toEqual([true, false]);
  kept.add(7, false);
  expect(kept.hasCompleted(7)).toBe(true);
});

it("ids a hundred or so apart take three bytes each at most, so that a million of them fit into 3 MB", () => {
  const some = Array.from({ length: 100_000 }, (_, i) => 99_970 + i * 97 + ((i * i) % 89));
  expect(new ReadIds(some).toText().length / some.length).toBeLessThan(3);
});
