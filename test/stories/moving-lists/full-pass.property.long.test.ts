import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly, remove, truthOf } from "../../support/slow.ts";
import { at, deliveredIds, HOUR, range, recordsOf, runTick, surveyOf, worldWith } from "../../support/survey.ts";

// About a slice of nine pages in two ticks.
const source = { ...fullPassesOnly, enrich: { metrics: false, metadata: false }, backgroundRequests: 10 };

/** `place` is a part of the list's length; `size` a number of records for an arrival, of responses for a deletion. */
interface Change {
  kind: "arrival" | "deletion";
  tick: number;
  place: number;
  size: number;
}

const change = (kind: Change["kind"]): fc.Arbitrary<Change> =>
  fc.record({
    kind: fc.constant(kind),
    tick: fc.integer({ min: 1, max: 12 }),
    place: fc.double({ min: 0, max: 0.999, noNaN: true }),
    size: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 170 }), fc.constantFrom(25, 50, 100)),
  });

const history = (one: fc.Arbitrary<Change>) =>
  fc.record({
    sizes: fc.array(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 9 }) }, fc.constantFrom(20, 50)), {
      minLength: 250,
      maxLength: 500,
    }),
    /** Places of responses that no other walk has met. */
    missed: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 4 }),
    changes: fc.array(one, { minLength: 1, maxLength: 5 }),
  });
type History = ReturnType<typeof history> extends fc.Arbitrary<infer T> ? T : never;

const check = (of: fc.Arbitrary<History>, predicate: (history: History) => Promise<void>): Promise<void> =>
  fc.assert(fc.asyncProperty(of, predicate), { seed: 20_261_121, numRuns: 20 });

/** Ids in the order of the list, each once. */
function listedIds(world: MemoryWorld): number[] {
  return [...new Set(surveyOf(world).records.map((record) => (record as { responseId: number }).responseId))];
}

/** Lists a response in front of the one that stands at `place`, so that no other one is torn. */
function insert(world: MemoryWorld, place: number, responseId: number, size: number): void {
  const { records } = surveyOf(world);
  const ids = listedIds(world);
  const next = ids[Math.floor(place * ids.length)];
  const index = records.findIndex((record) => (record as { responseId: number }).responseId === next);
  records.splice(Math.max(0, index), 0, ...recordsOf({ responseId, completed: at(0), size }));
}

/** Makes a full pass while the list changes; gives the responses that were listed all the time. */
async function passWhileItChanges(world: MemoryWorld, changes: Change[]): Promise<number[]> {
  const stayed = new Set(listedIds(world));
  let next = 5_000;
  await fullPass(world, {
    source,
    between: (tick) => {
      for (const { kind, place, size } of changes.filter((one) => one.tick === tick)) {
        if (kind === "arrival") insert(world, place, next++, size);
        else {
          const ids = listedIds(world);
          const from = Math.floor(place * ids.length);
          // One stays: an empty list is believed later.
          const gone = ids.slice(from, from + size).slice(0, ids.length - 1);
          remove(world, gone);
          for (const id of gone) stayed.delete(id);
        }
      }
    },
  });
  return [...stayed];
}

async function begin({ sizes, missed }: History): Promise<MemoryWorld> {
  const world = worldWith(sizes.map((size, i) => ({ responseId: i + 1, completed: at(-HOUR), size })));
  await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
  for (const [i, place] of missed.entries()) insert(world, place, 1_000 + i, 3);
  return world;
}

const missing = (world: MemoryWorld, ids: number[]): number[] => {
  const delivered = new Set(deliveredIds(world));
  return ids.filter((id) => !delivered.has(id));
};

/** What every history must hold: no event twice, none cut. */
function checkEvents(world: MemoryWorld, sizes: number[]): void {
  expect(new Set(deliveredIds(world)).size).toBe(world.delivered.length);
  for (const { data, meta } of world.delivered) {
    expect(meta.revision).toBe(1);
    const size = sizes[data.responseId - 1] ?? (data.responseId < 5_000 ? 3 : undefined);
    if (size !== undefined) expect([data.responseId, data.answers.length]).toEqual([data.responseId, size]);
  }
}

describe("a full pass while the list changes between its slices", () => {
  it.each([
    ["only loses responses", history(change("deletion"))],
    ["only gains responses", history(change("arrival"))],
  ])("and %s: closed books have met whatever was listed all the time, or they are left open", async (_, of) => {
    await check(of, async (one) => {
      const world = await begin(one);
      const stayed = await passWhileItChanges(world, one.changes);
      checkEvents(world, one.sizes);
      const { booksOpen, books } = world.mark(1);
      if (booksOpen !== undefined)
        expect(booksOpen.code).toMatch(/^(pages-moved|unaccounted|read-as-empty|pages-unreachable|range-unreachable)$/);
      else {
        expect(missing(world, stayed)).toEqual([]);
        expect(books?.listed).toBeGreaterThanOrEqual(stayed.length);
      }
    });
  });

  it("and gains and loses some: the next ones, while it holds still, close books that are the truth", async () => {
    await check(history(fc.oneof(change("arrival"), change("deletion"))), async (one) => {
      const world = await begin(one);
      await passWhileItChanges(world, one.changes);
      await fullPass(world, { source });
      await fullPass(world, { source });
      checkEvents(world, one.sizes);
      expect(missing(world, listedIds(world))).toEqual([]);
      expect(closedBooks(world)).toMatchObject({ ...truthOf(world), moved: false, found: 0, changed: 0, repaired: 0 });
    });
  });
});

it("the responses of these histories are those that they say", async () => {
  const world = await begin({ sizes: range(1, 30), missed: [0, 0.5], changes: [] });
  expect(listedIds(world)).toHaveLength(32);
  expect(listedIds(world)[0]).toBe(1_000);
});

it("a full pass over these histories has several slices, between which the list can change", async () => {
  const world = await begin({ sizes: range(1, 375).map((i) => 1 + (i % 9)), missed: [0.5], changes: [] });
  const pages = new Set<number>();
  await fullPass(world, {
    source,
    between: (tick) => {
      const { pass } = world.mark(1);
      if (pass !== undefined && tick <= 12) pages.add(pass.page);
    },
  });
  expect(pages.size).toBeGreaterThan(1);
});
