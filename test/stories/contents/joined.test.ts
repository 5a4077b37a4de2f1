import { describe, expect, it } from "vitest";
import { byQuestion, complete, eventsOf, rowsOf, withoutOperation9 } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { remove, scrub, scrubsOnly as source, ticksUntil } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

/** A list by question that operation 9 says nothing of, all of which has gone out. */
async function joined(world: MemoryWorld): Promise<MemoryWorld> {
  byQuestion(world);
  withoutOperation9(world);
  const { size } = new Set(rowsOf(world).map(({ responseId }) => responseId));
  await ticksUntil(world, () => deliveredIds(world).length >= size, { source });
  await scrub(world);
  return world;
}

describe("what a full pass joins", () => {
  it("is never a part: one goes and one comes between two slices, which leaves the pages at the seam as they were", async () => {
    const world = await joined(worldWith(complete(range(1, 200))));
    world.time.now = Math.max(world.time.now, world.mark(1).nextPass ?? 0);
    // Pages 1 and 2 hold question 1, pages 3 and 4 question 2, pages 5 and 6 question 3.
    await ticksUntil(world, () => world.mark(1).pass?.page === 3, { source });
    remove(world, [190]);
    arrive(world, { responseId: 201, completed: at(201 * SECOND), size: 3 });
    surveyOf(world).counts.responses = 200;
    byQuestion(world);
    withoutOperation9(world);
    await ticksUntil(world, () => deliveredIds(world).includes(201), { source });
    expect(eventsOf(world, 201)).toEqual([[1, [1, 2, 3]]]);
  });

  it("is never a part: one goes and one comes between two reads of a pass in one go", async () => {
    const world = await joined(worldWith(complete(range(1, 200))));
    let reads = 0;
    world.before.push(({ operation, args }) => {
      // Once page 2 was read a second time, which proves the seam behind it.
      if (operation !== "page" || args[2] !== "asc" || args[1] !== 4 || reads++ > 0) return;
      remove(world, [190]);
      arrive(world, { responseId: 201, completed: at(201 * SECOND), size: 3 });
      surveyOf(world).counts.responses = 200;
      byQuestion(world);
      withoutOperation9(world);
    });
    await scrub(world, { source: { ...source, backgroundRequests: 100 } });
    await ticksUntil(world, () => deliveredIds(world).includes(201), { source });
    expect(eventsOf(world, 201)).toEqual([[1, [1, 2, 3]]]);
  });

  it("repairs a short event with all of its records, also when it was found short in mid-pass", async () => {
    const world = await joined(worldWith([...complete([5], 1), ...complete(range(6, 205))]));
    expect(eventsOf(world, 5)).toEqual([[1, [1]]]);
    // Four records more: two of them on page 4, two on page 6.
    const more = recordsOf({ responseId: 5, completed: at(5 * SECOND), size: 5 }).slice(1);
    surveyOf(world).records.splice(550, 0, ...more.slice(2));
    surveyOf(world).records.splice(350, 0, ...more.slice(0, 2));
    for (const _ of range(1, 3)) await scrub(world);
    expect(eventsOf(world, 5)).toEqual([
      [1, [1]],
      [2, [1, 2, 3, 4, 5]],
    ]);
    expect(world.mark(1).short).toBeUndefined();
  });

  it("is whole also where an older version has laid its first parts aside, all keys in the mark", async () => {
    const world = worldWith(complete(range(1, 200)));
    byQuestion(world);
    withoutOperation9(world);
    // Each page takes a second, and each poll has two.
    takes(world, SECOND, ({ operation }) => operation === "page");
    const tick = async (): Promise<void> => {
      world.time.now += MINUTE;
      await runTick(world, { source, deadline: world.time.now + 2 * SECOND });
    };
    while ((world.mark(1).pass?.page ?? 0) < 3) await tick();
    asOlderVersion(world);
    while (deliveredIds(world).length < 200) await tick();
    expect(new Set(range(1, 200).map((id) => JSON.stringify(eventsOf(world, id))))).toEqual(new Set(["[[1,[1,2,3]]]"]));
  });
});

/** What lies in the vault, and in the mark of it, as it was before each object named the one before. */
function asOlderVersion(world: MemoryWorld): void {
  const { pass } = world.mark(1);
  if (pass === undefined) throw new Error("no pass is under way");
  const keys: string[] = [];
  for (let next = pass.spilled ?? []; next.length > 0; ) {
    const object = world.objects.get(next[0] ?? "") as { before: string[]; pages: unknown };
    keys.unshift(...next);
    world.objects.set(next[0] ?? "", object.pages);
    next = object.before;
  }
  pass.spilled = keys;
  delete pass.short;
}
