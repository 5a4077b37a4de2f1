import { expect, it } from "vitest";
import { DAY, fullPassesOnly } from "../../support/slow.ts";
import { at, MINUTE, range, runTick, SECOND, worldWith } from "../../support/survey.ts";

// R7: nothing but the position and the ids that were met is kept between two slices.
// R10
it("a full pass over a long list in small slices adds nothing to the mark with each of them", async () => {
  // 60 pages of one response each, 100 records.
  const world = worldWith(
    range(1, 60).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 100 })),
  );
  for (const _ of range(1, 4)) {
    world.time.now += MINUTE;
    await runTick(world, { source: { ...fullPassesOnly, backgroundRequests: 500 } });
  }
  expect(world.mark(1).books).toMatchObject({ emitted: 60 });
  world.time.now += DAY;
  const sizes = new Map<number, number>();
  for (const _ of range(1, 200)) {
    world.time.now += MINUTE;
    await runTick(world, { source: fullPassesOnly });
    const mark = world.mark(1);
    if (mark.pass !== undefined) sizes.set(mark.pass.page, JSON.stringify({ ...mark, listedIds: undefined }).length);
  }
  const pages = [...sizes.keys()].sort((a, b) => a - b);
  const [first = 0, last = 0] = [pages[0], pages.at(-1)];
  expect(pages.length).toBeGreaterThan(4);
  expect(last - first).toBeGreaterThan(30);
  // An id takes about two bytes.
  expect((sizes.get(last) ?? 0) - (sizes.get(first) ?? 0)).toBeLessThan(100);
});
