import { expect, it } from "vitest";
import { Failure } from "../../support/failing.ts";
import { at, deliveredIds, range, runTick, SECOND, worldWith } from "../../support/survey.ts";

// R9
it("a backlog whose pages fail now and then is worked off to its end: what has failed before it came further is forgotten", async () => {
  const world = worldWith(
    range(1, 600).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  const failed = new Set<unknown>();
  world.before.push(({ operation, args: [, page, order] }) => {
    // Each fourth page fails twice: many walks end there, though none of them twice as often as a page may.
    if (operation !== "page" || order !== "asc" || Number(page) % 4 !== 0) return;
    const key = `${page} ${failed.has(`${page} once`) ? "twice" : "once"}`;
    if (failed.has(key)) return;
    failed.add(key);
    throw new Failure("now and then");
  });
  for (let ticks = 0; ticks < 60 && world.mark(1).phase.kind !== "head"; ticks += 1) {
    await runTick(world);
    world.time.now += 60 * SECOND;
  }
  expect(failed.size).toBeGreaterThan(20);
  expect(deliveredIds(world)).toHaveLength(600);
});
