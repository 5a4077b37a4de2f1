import { expect, it } from "vitest";
import { failing } from "../../support/failing.ts";
import { arrive, at, deliveredIds, HOUR, MINUTE, range, runTick, SECOND, worldWith } from "../../support/survey.ts";

it("an outage after a poller that stood still for two days stops the clock", async () => {
  const world = worldWith([{ responseId: 1, completed: at(0) }]);
  await runTick(world);
  world.time.now += MINUTE;
  // One fails once, at the poller's last tick.
  const mend = failing(world, "metrics");
  arrive(world, { responseId: 2, completed: at(1 * SECOND) });
  await runTick(world);
  expect(world.account.breakers?.metrics.phase).toBe("closed");
  mend();
  // Nobody polls for two days; meanwhile the operation worked, and an outage begins an hour before the poller is back.
  world.time.now += 48 * HOUR;
  failing(world, "metrics");
  for (const responseId of range(3, 9)) arrive(world, { responseId, completed: at(48 * HOUR + responseId) });
  for (let i = 0; i < 60; i += 1) {
    await runTick(world);
    world.time.now += MINUTE;
  }
  expect(deliveredIds(world)).toEqual([1]);
});
it("(the same in an outage whose beginning was seen, two days ago)", async () => {
  const world = worldWith([{ responseId: 1, completed: at(0) }]);
  await runTick(world);
  world.time.now += MINUTE;
  const mend = failing(world, "metrics");
  for (const responseId of range(2, 5)) arrive(world, { responseId, completed: at(responseId) });
  await runTick(world);
  expect(world.account.breakers?.metrics.phase).toBe("open");
  mend();
  world.time.now += 48 * HOUR;
  failing(world, "metrics");
  for (let i = 0; i < 60; i += 1) {
    await runTick(world);
    world.time.now += MINUTE;
  }
  expect(deliveredIds(world)).toEqual([1]);
});
