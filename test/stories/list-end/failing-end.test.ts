import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, truthOf } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  pagesRead,
  range,
  runTick,
  SECOND,
  type TickOverrides,
  worldWith,
} from "../../support/survey.ts";

const complete = (from: number, to: number, size = 2) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size }));

/** Each page behind this one fails, as behind the end of the list, until the function it gives is called. */
function failBehind(world: MemoryWorld, last: () => number, code = "SERVER_ERROR"): () => void {
  const hook = ({ operation, args }: { operation: string; args: readonly unknown[] }): void => {
    if (operation !== "page" || Number(args[1]) <= last()) return;
    throw Object.assign(new Error("no page"), { code });
  };
  world.before.push(hook);
  return () => {
    world.before.splice(world.before.indexOf(hook), 1);
  };
}

async function ticks(world: MemoryWorld, count: number, overrides?: TickOverrides) {
  const outcomes: string[] = [];
  for (const _ of range(1, count)) {
    world.time.now += MINUTE;
    const { surveys } = await runTick(world, overrides);
    outcomes.push(...surveys.map(({ outcome, failure }) => failure?.code ?? outcome));
  }
  return outcomes;
}

const sorted = (ids: number[]): number[] => [...ids].sort((a, b) => a - b);

describe.each(["SERVER_ERROR", "UNREADABLE_BODY"])(
  "a service that answers behind the end of a list with %s",
  (code) => {
    it.each([
      ["a short one", 5, 2],
      ["a full one", 20, 5],
      ["the third one, which is full", 60, 5],
    ])(
      "is believed at once where the other order begins with what is on the last page: %s",
      async (_name, count, size) => {
        const world = worldWith(complete(1, count, size));
        failBehind(world, () => Math.ceil((world.surveys.get(1)?.records.length ?? 0) / 100), code);
        expect(new Set(await ticks(world, 2))).toEqual(new Set(["polled"]));
        expect(sorted(deliveredIds(world))).toEqual(range(1, count));
        expect(world.delivered.every(({ data }) => data.answers.length === size)).toBe(true);
        expect(closedBooks(world)).toMatchObject(truthOf(world));

        arrive(world, { responseId: count + 1, completed: at((count + 1) * SECOND) });
        expect(await ticks(world, 1)).toEqual(["polled"]);
        expect(sorted(deliveredIds(world))).toEqual(range(1, count + 1));
      },
    );

    it("is believed at once behind the only response, and behind a list that holds nothing", async () => {
      const world = worldWith([]);
      failBehind(world, () => 1, code);
      expect(await ticks(world, 1)).toEqual(["polled"]);
      arrive(world, { responseId: 1, completed: at(SECOND) });
      expect(await ticks(world, 1)).toEqual(["polled"]);
      expect(deliveredIds(world)).toEqual([1]);
      expect(closedBooks(world)).toMatchObject(truthOf(world));
    });

    it("does so also at page 1 of a list that holds nothing: its first response goes out", async () => {
      const world = worldWith([]);
      const mend = failBehind(world, () => 0, code);
      expect(await ticks(world, 3)).toEqual([code, code, code]);
      mend();
      arrive(world, { responseId: 1, completed: at(3 * MINUTE) });
      expect(await ticks(world, 1)).toEqual(["polled"]);
      expect(deliveredIds(world)).toEqual([1]);
    });

    it("is believed at once behind a short page where records of responses lie apart", async () => {
      const world = worldWith(complete(1, 3));
      const records = world.surveys.get(1)?.records ?? [];
      records.splice(0, 6, ...[0, 2, 4, 1, 3, 5].flatMap((place) => records.slice(place, place + 1)));
      failBehind(world, () => 1, code);
      expect(new Set(await ticks(world, 2))).toEqual(new Set(["polled"]));
      expect(sorted(deliveredIds(world))).toEqual(range(1, 3));
      expect(world.delivered.every(({ data }) => data.answers.length === 2)).toBe(true);
      expect(closedBooks(world)).toMatchObject(truthOf(world));
    });

    it("gets a backlog caught up that is deeper than a head walk", async () => {
      const world = worldWith(complete(1, 5));
      failBehind(world, () => Math.ceil((world.surveys.get(1)?.records.length ?? 0) / 100), code);
      await ticks(world, 12);
      for (const response of complete(6, 1_001)) arrive(world, response);
      expect(await ticks(world, 1, { source: { headPages: 3 } })).toEqual(["polled"]);
      expect(sorted(deliveredIds(world))).toEqual(range(1, 1_001));
    });
  },
);

// R6, R9
describe.each([
  { single: "gives it whole", isGiven: true },
  { single: "says nothing", isGiven: false },
])(
  "a page that fails though it is one of the list; of one that goes on behind it operation 9 $single:",
  ({ isGiven }) => {
    const without = (world: MemoryWorld, responseId: number): void => {
      if (!isGiven) world.surveys.get(1)?.single.set(responseId, { kind: "absent" });
    };

    it("does not end it, however long that lasts: nothing is cut, and what is whole goes out", async () => {
      // Response 10 goes on behind the first page, which is full.
      const world = worldWith(complete(1, 20, 11));
      without(world, 10);
      const mend = failBehind(world, () => 1);
      expect(new Set(await ticks(world, 8))).toEqual(new Set(["SERVER_ERROR"]));
      expect(deliveredIds(world)).toEqual(range(1, isGiven ? 10 : 9));
      // The first pass comes to its end without the pages that fail: the head shows what it has.
      await ticks(world, 22);
      expect(sorted(deliveredIds(world))).toEqual(expect.arrayContaining([...range(1, 9), ...range(12, 20)]));
      expect(deliveredIds(world).includes(10)).toBe(isGiven);
      expect(world.entry(1, 10)?.state).toBe(isGiven ? "emitted" : "held");
      expect(world.progress.some(({ kind }) => kind === "held")).toBe(!isGiven);
      expect(world.mark(1).books).toBeUndefined();

      mend();
      await ticks(world, 1);
      await fullPass(world);
      expect(sorted(deliveredIds(world))).toEqual(range(1, 20));
      expect(world.delivered.every(({ data }) => data.answers.length === 11)).toBe(true);
      expect(closedBooks(world)).toMatchObject({ ...truthOf(world), emitted: 20 });
    });

    it("keeps what stands before it at the head from nothing", async () => {
      const world = worldWith(complete(1, 200, 10));
      await ticks(world, 1);
      for (const response of complete(201, 225, 10)) arrive(world, response);
      // The oldest one of the second page may go on behind it.
      without(world, 206);
      const mend = failBehind(world, () => 2);
      world.calls.length = 0;
      expect(await ticks(world, 1)).toEqual(["SERVER_ERROR"]);
      expect(pagesRead(world)).toContain("desc/3");
      expect(deliveredIds(world).slice(200)).toEqual(range(isGiven ? 206 : 207, 225));

      mend();
      await ticks(world, 1);
      expect(sorted(deliveredIds(world))).toEqual(range(1, 225));
      expect(world.delivered.every(({ data }) => data.answers.length === 10)).toBe(true);
    });
  },
);

describe("a page that fails at each second look", () => {
  it("ends no list, and nothing on it or behind it is lost or cut", async () => {
    const world = worldWith(complete(1, 100, 11));
    let looks = 0;
    world.before.push(({ operation, args }) => {
      if (operation !== "page" || args[1] !== 4) return;
      looks += 1;
      if (looks % 2 === 0) throw Object.assign(new Error("no page"), { code: "SERVER_ERROR" });
    });
    await ticks(world, 40);
    expect(sorted(deliveredIds(world))).toEqual(range(1, 100));
    expect(world.delivered.every(({ data }) => data.answers.length === 11)).toBe(true);
  });
});
