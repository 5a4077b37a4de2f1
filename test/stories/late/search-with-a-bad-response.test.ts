import { expect, it } from "vitest";
import {
  at,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };
it("a response below the head that the bus does not take is not a reason to read all pages at each tick", async () => {
  const world = worldWith(
    range(1, 1_000).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  world.bus.decide = ({ data }) =>
    data.responseId === 900_000 ? { kind: "failed", code: "InternalFailure" } : undefined;
  // On page 12 of 100, and counted.
  surveyOf(world).records.splice(8_850, 0, ...recordsOf({ responseId: 900_000, completed: at(-HOUR), size: 10 }));
  surveyOf(world).counts.responses = 1_001;
  const reads: number[] = [];
  for (let i = 0; i < 30; i += 1) {
    world.time.now += MINUTE;
    world.calls.length = 0;
    await runTick(world, { source });
    reads.push(pagesRead(world).length);
  }
  expect(reads.slice(5).reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(25 * 20);
});
