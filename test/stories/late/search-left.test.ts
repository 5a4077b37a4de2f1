import { expect, it } from "vitest";
import { failing } from "../../support/failing.ts";
import { changeMark } from "../../support/slow.ts";
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
it("a search that had to leave what it has met is not over", async () => {
  const world = worldWith(
    range(1, 300).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  // Records lie apart here, and operation 9 gives the answers but not the facts: its contents are used, nothing is asked about alone.
  await changeMark(world, ({ contents }) => Object.assign(contents, { apart: 0, answers: "several", full: false }));
  surveyOf(world).records.splice(1_850, 0, ...recordsOf({ responseId: 900, completed: at(-HOUR), size: 10 }));
  surveyOf(world).counts.responses = 301;
  const mend = failing(world, "response");
  for (let i = 0; i < 5; i += 1) {
    world.time.now += MINUTE;
    await runTick(world, { source });
  }
  expect(world.entry(1, 900)).toMatchObject({ state: "held" });
  mend();
  for (let i = 0; i < 180; i += 1) {
    world.time.now += MINUTE;
    await runTick(world, { source });
  }
  expect(deliveredIds(world)).toContain(900);
});
