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
  poll,
  range,
  recordsOf,
  replace,
  runTick,
  SECOND,
  surveyOf,
  takes,
  worldWith,
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

const responseIdOf = (record: unknown): unknown => (record as { responseId: unknown }).responseId;

// R5, R7
it("a response that had not gone out when the walk stepped back is met again, though a deletion has moved it to the page before", async () => {
  const world = worldWith(
    range(1, 30).map((responseId) =>
      responseId === 11 ? { responseId, size: 10 } : { responseId, size: 10, completed: at(-HOUR) },
    ),
  );
  await poll(world);
  replace(world, { responseId: 11, size: 10, completed: at(0) });
  for (const responseId of range(31, 60)) arrive(world, { responseId, size: 10, completed: at(0) });
  let reads = 0;
  world.before.push(({ operation, args: [, page, order] }) => {
    if (operation !== "page" || page !== 3 || order !== "asc") return;
    reads += 1;
    if (reads !== 2) return;
    const survey = surveyOf(world);
    survey.records = survey.records.filter((record) => responseIdOf(record) !== 1);
  });
  await poll(world, { listedCount: 59, source: { headPages: 1 } });
  expect(reads).toBeGreaterThanOrEqual(2);
  expect(deliveredIds(world)).toContain(11);
  expect(new Set(deliveredIds(world)).size).toBe(60);
});
