import { describe, expect, it } from "vitest";
import { placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { goOn, slowWorld } from "../../support/slices.ts";
import { changeMark, remove } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  takes,
} from "../../support/survey.ts";

/** Takes the first responses off the list. */
function removeFirst(world: MemoryWorld, count: number): void {
  const ids = surveyOf(world).records.map((record) => (record as { responseId: number }).responseId);
  remove(world, [...new Set(ids)].slice(0, count));
}

// R7
describe("a catch-up in slices", () => {
  it("that comes back to its place meets what moves before it a second time", async () => {
    const all = range(1, 600).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 }));
    const world = slowWorld([], 0);
    for (const one of all.filter(({ responseId }) => responseId % 2 === 1)) arrive(world, one);
    await runTick(world);
    // Not in the order of completion: every other one is new.
    surveyOf(world).records = all.flatMap(recordsOf);
    surveyOf(world).counts.responses = 600;
    await changeMark(world, (mark) => {
      mark.phase = { kind: "catch-up", place: { page: 1 } };
    });
    takes(world, 4 * SECOND, ({ operation }) => operation === "page");
    world.time.now += MINUTE;
    const deletions: number[] = [];
    const shrink = (): void => {
      const { page = 0 } = placeOf(world.mark(1)) ?? {};
      // The second time before the walk has found ground to stand on again, or soon after.
      const isDue = deletions.length === 0 ? page >= 30 : deletions.length < 2;
      if (!isDue) return;
      removeFirst(world, deletions.length === 0 ? 50 : 70);
      deletions.push(page);
    };
    for (let i = 0; i < 120 && (i < 4 || placeOf(world.mark(1)) !== undefined); i += 1) {
      await goOn(world, 1, { between: shrink, sliceTime: 12 * SECOND });
      shrink();
    }
    expect(deletions).toHaveLength(2);
    expect(placeOf(world.mark(1))).toBeUndefined();
    const delivered = new Set(deliveredIds(world));
    expect(range(1, 600).filter((id) => !delivered.has(id))).toEqual([]);
  });
});

describe("a first pass in slices", () => {
  it("notes all of its history where a seam moves, though ten others did not hold still at first", async () => {
    const source = { startFrom: "now" as const };
    // Not in the order of completion.
    const world = slowWorld(
      range(1, 600).map((responseId) => {
        const second = responseId === 31 ? 700 : (responseId * 7_919) % 600;
        return { responseId, completed: at(-HOUR + second * SECOND), size: 10 };
      }),
      4 * SECOND,
    );
    let reads = 0;
    /** A page of which a record reads differently each time. */
    let restless = 0;
    /** The page at whose read so much goes that others move past the walk. */
    let shrinksAt = 0;
    let hasShrunk = false;
    world.before.push(({ operation, args }) => {
      if (operation !== "page" || args[2] !== "asc") return;
      reads += 1;
      const { records } = surveyOf(world);
      const place = restless * 100 - 50;
      if (args[1] === restless) records[place] = { ...(records[place] as object), comment: `${reads}` };
      if (args[1] !== shrinksAt || hasShrunk) return;
      hasShrunk = true;
      remove(world, range(1, 45));
    });
    let moved = 0;
    for (let i = 0; i < 300 && (i < 3 || placeOf(world.mark(1)) !== undefined); i += 1) {
      restless = 0;
      const between = (): void => {
        const { page = 0 } = placeOf(world.mark(1)) ?? {};
        if (i <= 8 || i % 2 === 1) return;
        if (moved < 10) {
          restless = page;
          moved += 1;
        } else if (page >= 35 && shrinksAt === 0) shrinksAt = page + 4;
      };
      await goOn(world, 1, { source, between, sliceTime: (shrinksAt > 0 ? 50 : 12) * SECOND });
    }
    expect([moved, hasShrunk, world.mark(1).phase.kind === "head"]).toEqual([10, true, true]);
    expect(range(1, 600).filter((id) => world.entry(1, id) === undefined)).toEqual([]);
  });
});
