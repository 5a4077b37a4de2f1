import { expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { type Queued, slice, worldWithQueue } from "./support/slices.ts";
import { addSurvey, at, deliveredIds, MINUTE, range, runTick, SECOND } from "./support/survey.ts";

const complete = (surveyId: number, from: number, to: number) =>
  range(from, to).map((responseId) => ({ surveyId, responseId, completed: at(responseId * SECOND), size: 2 }));

/** A minute: a tick, which takes no time here, and two slices at once as long as there are messages. */
async function minute(world: MemoryWorld, sent: Queued[], queue: Queued[]): Promise<void> {
  const { now } = world.time;
  const slow = world.before.splice(0);
  await runTick(world, { ownTime: -1, owner: "tick" });
  world.before.push(...slow);
  queue.push(...sent.splice(0));
  const worker = async (name: string): Promise<void> => {
    while (world.time.now < now + 50 * SECOND) {
      const next = queue.shift();
      if (next === undefined) return;
      await slice(world, next, name);
    }
  };
  await Promise.all([worker("a"), worker("b")]);
  world.time.now = Math.max(world.time.now, now + MINUTE);
}

it("a survey with a small backlog has its turn beside many with large ones, and the queue does not grow", async () => {
  const backlogs = 8;
  const { world, queue: sent } = worldWithQueue(complete(1, 1, 5_000), 10 * SECOND);
  for (const id of range(2, backlogs)) addSurvey(world, id, complete(id, 1, 5_000));
  const queue: Queued[] = [];
  for (let i = 0; i < 15; i += 1) await minute(world, sent, queue);
  const before = queue.length;
  expect(before).toBeLessThan(2 * backlogs);
  addSurvey(world, 99, complete(99, 100_001, 100_100));
  for (let i = 0; i < backlogs; i += 1) await minute(world, sent, queue);
  expect(deliveredIds(world).filter((id) => id > 100_000)).toHaveLength(100);
  expect(queue.length).toBeLessThanOrEqual(before + 1);
});
