import { expect, it } from "vitest";
import { changeMark, DAY, scrubsOnly } from "../../support/slow.ts";
import { at, MINUTE, range, runTick, SECOND, worldWith } from "../../support/survey.ts";

it("a pass that joins a long list in small slices adds nothing to the mark with each of them", async () => {
  // 24 pages of one response each, 100 records; one event is short, and operation 9 did not give the rest.
  const world = worldWith(
    range(1, 24).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 100 })),
  );
  for (const _ of range(1, 4)) {
    world.time.now += MINUTE;
    await runTick(world, { source: { ...scrubsOnly, backgroundRequests: 500 } });
  }
  expect(world.mark(1).books).toMatchObject({ emitted: 24 });
  await changeMark(world, (mark) => {
    mark.short = [12];
    mark.nextPass = 0;
  });
  world.time.now += DAY;
  const sizes = new Map<number, number>();
  for (const _ of range(1, 36)) {
    world.time.now += MINUTE;
    await runTick(world, { source: scrubsOnly });
    const mark = world.mark(1);
    sizes.set(mark.pass?.page ?? 0, JSON.stringify({ ...mark, listedIds: undefined }).length);
  }
  const grown = (sizes.get(18) ?? 0) - (sizes.get(5) ?? 0);
  expect([...sizes.keys()]).toEqual(expect.arrayContaining([5, 18]));
  expect(grown).toBeLessThan(100);
});
