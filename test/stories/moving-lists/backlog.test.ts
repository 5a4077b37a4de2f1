import { describe, expect, it } from "vitest";
import { complete, rowsOf, withoutOperation9 } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { scrubsOnly } from "../../support/slow.ts";
import { at, MINUTE, range, recordsOf, runTick, SECOND, surveyOf, worldWith } from "../../support/survey.ts";

/** Ticks with time for 6 pages, before each of which one response comes near the beginning of the list, while operation 9 gives nothing. */
async function ticksWithArrivals(world: MemoryWorld, most: number, settle = (): void => undefined): Promise<void> {
  world.after.push(({ operation }) => {
    if (operation === "page") world.time.now += SECOND;
  });
  for (const tick of range(1, most)) {
    world.time.now += MINUTE;
    const late = recordsOf({ responseId: 5_000 + tick, completed: at(0), size: 4 });
    surveyOf(world).records.splice(40, 0, ...late);
    settle();
    withoutOperation9(world);
    const source = { ...scrubsOnly, enrich: { metrics: false, metadata: false } };
    await runTick(world, { source, deadline: world.time.now + 6 * SECOND });
    if (world.delivered.length >= 300) return;
  }
}

describe("a backlog longer than a poll, of which nothing but pages can tell whether responses are whole", () => {
  it("goes out although one more comes early in the list during each pass, where records stand together", async () => {
    const world = worldWith(complete(range(1, 300), 4));
    await ticksWithArrivals(world, 40);
    expect(world.delivered.length).toBeGreaterThanOrEqual(300);
    expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([4]));
  });

  it("is held where they lie apart, though two of each response stand together", async () => {
    const world = worldWith(complete(range(1, 300), 4));
    const half = ({ questionId }: { questionId: number }): number => Math.floor((questionId - 1) / 2);
    await ticksWithArrivals(world, 20, () => {
      surveyOf(world).records = rowsOf(world).toSorted((a, b) => half(a) - half(b));
    });
    expect(world.mark(1).contiguous).not.toBe(true);
    expect(world.delivered.filter(({ data }) => data.answers.length < 4)).toEqual([]);
  });
});
