import { expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { slowWorld } from "../../support/slices.ts";
import { addSurvey, at, backlogRound, deliveredIds, MINUTE, range, SECOND, tickAlone } from "../../support/survey.ts";

const complete = (surveyId: number, from: number, to: number) =>
  range(from, to).map((responseId) => ({ surveyId, responseId, completed: at(responseId * SECOND), size: 2 }));

/** A minute: a tick, which takes no time here, and a round of catching up. */
async function minute(world: MemoryWorld): Promise<void> {
  const { now } = world.time;
  const slow = world.before.splice(0);
  await tickAlone(world, { ownTime: -1, owner: "tick" });
  world.before.push(...slow);
  await backlogRound(world, { owner: "catch-up", deadline: now + 15 * MINUTE });
  world.time.now = Math.max(world.time.now, now + MINUTE);
}

// R25
it("a survey with a small backlog has its turn beside many with large ones", async () => {
  const backlogs = 8;
  const world = slowWorld(complete(1, 1, 5_000), 10 * SECOND);
  for (const id of range(2, backlogs)) addSurvey(world, id, complete(id, 1, 5_000));
  for (let i = 0; i < 15; i += 1) await minute(world);
  addSurvey(world, 99, complete(99, 100_001, 100_100));
  for (let i = 0; i < backlogs + 1; i += 1) await minute(world);
  expect(deliveredIds(world).filter((id) => id > 100_000)).toHaveLength(100);
});
