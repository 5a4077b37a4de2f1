import { expect, it } from "vitest";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };
it("what a count has shown while a search rests is looked for once it has rested", async () => {
  const world = worldWith(
    range(1, 300).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  const tick = async (n: number) => {
    for (let i = 0; i < n; i += 1) {
      world.time.now += MINUTE;
      await runTick(world, { source });
    }
  };
  // Someone has begun, and a count of starts moves: the search is in vain.
  surveyOf(world).counts.responses = 301;
  await tick(15);
  // Ten minutes later one is completed late, on page 12, and counted.
  surveyOf(world).records.splice(1_850, 0, ...recordsOf({ responseId: 900, completed: at(-HOUR), size: 10 }));
  surveyOf(world).counts.correct = 1;
  await tick(180);
  expect(deliveredIds(world)).toContain(900);
});
