import { expect, it } from "vitest";
import { openTo } from "../../../lib/polling/index.ts";
import { arrive, at, deliveredIds, HOUR, MINUTE, poll, range, worldWith } from "../../support/survey.ts";

// R9
it("two pages of the head that fail, far from each other, keep nothing else waiting", async () => {
  const world = worldWith(range(1, 30).map((responseId) => ({ responseId, size: 10, completed: at(-HOUR) })));
  await poll(world);
  for (const responseId of range(31, 120)) arrive(world, { responseId, size: 10, completed: at(0) });
  world.before.push(({ operation, args: [, page, order] }) => {
    if (operation === "page" && order === "desc" && (page === 3 || page === 7)) throw new Error("no answer");
  });
  for (const _ of range(1, 40)) {
    world.time.now += MINUTE;
    await poll(world, { listedCount: 120 }).catch(() => undefined);
  }
  const missing = range(31, 120).filter((responseId) => !deliveredIds(world).includes(responseId));
  // Ten stand on each of the two pages.
  expect(missing.length).toBeLessThanOrEqual(20);
  expect(openTo(world.mark(1))).toBeUndefined();
});
