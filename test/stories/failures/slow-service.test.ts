import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  MINUTE,
  range,
  runTick,
  SECOND,
  sortedIds,
  takes,
  worldWith,
} from "../../support/survey.ts";

/** Milliseconds of an invocation, without what bringing the state home takes; and those in which one request is over, by the default time-outs. */
const INVOCATION = 880 * SECOND;
const REQUEST = 35 * SECOND;

const complete = (surveyId: number, from: number, to: number) =>
  range(from, to).map((responseId) => ({ surveyId, responseId, completed: at(responseId * SECOND), size: 5 }));

/** One invocation, which a platform would end after 900 s; and the time until the next one is due. */
async function invoke(world: MemoryWorld): Promise<void> {
  const began = world.time.now;
  await runTick(world, { deadline: began + INVOCATION - REQUEST, source: { concurrency: 10 } });
  expect(world.time.now - began).toBeLessThanOrEqual(INVOCATION);
  world.time.now = Math.max(world.time.now, began + MINUTE);
}

// R26
describe.each([15, 25, 29])("a service that takes %i s for each answer", (seconds) => {
  const slowWorld = (): MemoryWorld => {
    const world = worldWith(complete(1, 1, 60));
    addSurvey(world, 2, complete(2, 1_001, 1_005));
    takes(world, seconds * SECOND, ({ port }) => port === "service");
    return world;
  };

  it("gets its events out, those of a backlog too, and no invocation is ended by the platform", async () => {
    const world = slowWorld();
    for (let i = 0; i < 4; i += 1) await invoke(world);
    expect(sortedIds(world)).toEqual([...range(1, 60), ...range(1_001, 1_005)]);
  });

  it("has a new response out by the end of the next invocation", async () => {
    const world = slowWorld();
    for (let i = 0; i < 4; i += 1) await invoke(world);
    arrive(world, { surveyId: 2, responseId: 1_006, completed: at(2_000 * SECOND) });
    await invoke(world);
    expect(deliveredIds(world)).toContain(1_006);
  });

  it("comes further where an invocation has no more time than eight requests one after the other: no time-outs that leave it less are accepted", async () => {
    const world = slowWorld();
    const counts: number[] = [];
    for (let i = 0; i < 30 && deliveredIds(world).length < 65; i += 1) {
      await runTick(world, { deadline: world.time.now + 8 * seconds * SECOND, source: { concurrency: 10 } });
      world.time.now += MINUTE;
      counts.push(deliveredIds(world).length);
    }
    expect(counts.at(-1)).toBe(65);
  });
});
