import { expect, it } from "vitest";
import { addSurvey, at, HOUR, MINUTE, range, runTick, SECOND, takes, worldWith } from "../../../support/survey.ts";

// R23: news of all surveys wait for the tick to come to its end.
it("other work of a slow survey leaves the tick its end", async () => {
  const world = worldWith([]);
  addSurvey(
    world,
    2,
    range(1, 2_000).map((responseId) => ({ responseId, completed: at(-responseId * SECOND) })),
  );
  const source = { backgroundRequests: 30, interval: MINUTE, rescan: { every: HOUR, full: 2 * HOUR } };
  const tick = () => runTick(world, { source, deadline: world.time.now + 14 * MINUTE });
  await tick();
  takes(world, 25 * SECOND, ({ operation, args }) => operation === "page" && args[0] === 2);
  const lasted: number[] = [];
  for (let hour = 1; hour <= 12; hour += 1) {
    world.time.now += HOUR;
    const began = world.time.now;
    await tick();
    lasted.push(world.time.now - began);
  }
  expect(Math.max(...lasted)).toBeGreaterThan(25 * SECOND);
  expect(Math.max(...lasted)).toBeLessThan(3 * MINUTE);
});
