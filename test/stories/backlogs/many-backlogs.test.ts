import { expect, it } from "vitest";
import { SLICE_WAITS } from "../../../lib/polling/survey/slices.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { type Queued, slice, worldWithQueue } from "../../support/slices.ts";
import { addSurvey, at, deliveredIds, MINUTE, range, runTick, SECOND } from "../../support/survey.ts";

const complete = (surveyId: number, from: number, to: number) =>
  range(from, to).map((responseId) => ({ surveyId, responseId, completed: at(responseId * SECOND), size: 2 }));

/** A minute: a tick, which takes no time here, and two slices at once as long as there are messages. */
async function minute(world: MemoryWorld, sent: Queued[], queue: Queued[]): Promise<void> {
  const { now } = world.time;
  const slow = world.before.splice(0);
  await runTick(world, { ownTime: -1, owner: "tick" });
  world.before.push(...slow);
  queue.push(...sent.splice(0));
  await workOff(world, queue, 50 * SECOND);
  world.time.now = Math.max(world.time.now, now + MINUTE);
}

/** Two slices at once, begun within so many milliseconds. */
async function workOff(world: MemoryWorld, queue: Queued[], duration: number): Promise<void> {
  const end = world.time.now + duration;
  const worker = async (name: string): Promise<void> => {
    while (world.time.now < end) {
      const next = queue.shift();
      if (next === undefined) return;
      await slice(world, next, name);
    }
  };
  await Promise.all([worker("a"), worker("b")]);
}

// R25
it("a survey with a small backlog has its turn beside many with large ones, and the queue does not grow", async () => {
  const backlogs = 8;
  const { world, queue: sent } = worldWithQueue(complete(1, 1, 5_000), 10 * SECOND);
  for (const id of range(2, backlogs)) addSurvey(world, id, complete(id, 1, 5_000));
  const queue: Queued[] = [];
  for (let i = 0; i < 15; i += 1) await minute(world, sent, queue);
  const before = queue.length;
  expect(before).toBeLessThanOrEqual(backlogs);
  addSurvey(world, 99, complete(99, 100_001, 100_100));
  for (let i = 0; i < backlogs; i += 1) await minute(world, sent, queue);
  expect(deliveredIds(world).filter((id) => id > 100_000)).toHaveLength(100);
  expect(queue.length).toBeLessThanOrEqual(before + 1);
});

it("ticks that hold every survey so long that its message may have come in vain do not make the queue grow either", async () => {
  const backlogs = 14;
  const { world, queue: sent } = worldWithQueue(complete(1, 1, 5_000), 0);
  for (const id of range(2, backlogs)) addSurvey(world, id, complete(id, 1, 5_000));
  let readTime = 0;
  world.before.push(async ({ operation }) => {
    if (operation !== "page") return;
    const end = world.time.now + readTime;
    // The surveys of a tick are read side by side.
    await new Promise(setImmediate);
    world.time.now = Math.max(world.time.now, end);
  });
  const queue: Queued[] = [];
  let most = 0;
  for (let i = 0; i < 60; i += 1) {
    readTime = SLICE_WAITS + SECOND;
    await runTick(world, { ownTime: -1, owner: "tick" });
    queue.push(...sent.splice(0));
    most = Math.max(most, queue.length);
    readTime = 10 * SECOND;
    await workOff(world, queue, 50 * SECOND);
    world.time.now += 5 * SECOND;
  }
  // A second message each, and for a while what the first ticks have queued, which did not know how many there are.
  expect(most).toBeGreaterThan(backlogs);
  expect(most).toBeLessThanOrEqual(4 * backlogs);
  expect(queue.length).toBeLessThanOrEqual(2 * backlogs);
});
