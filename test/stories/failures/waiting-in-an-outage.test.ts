import { expect, it } from "vitest";
import { Failure } from "../../support/failing.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };
it.each([50, 400])(
  "a response that waits for metadata alone does not wait behind %i that wait for metrics while these fail",
  async (n) => {
    const world = worldWith([{ responseId: 1, completed: at(0) }]);
    await runTick(world, { source });
    world.time.now += MINUTE;
    // Its metadata is absent at first: it is looked for again after a minute.
    arrive(world, { responseId: 2, completed: at(1 * SECOND) });
    surveyOf(world).metadata.set(2, { kind: "absent" });
    await runTick(world, { source });
    expect(world.entry(1, 2)?.state).toBe("waiting");
    surveyOf(world).metadata.delete(2);
    world.before.push(({ operation }) => {
      if (operation === "metrics") throw new Failure("no answer");
    });
    world.time.now += 20 * SECOND;
    for (const responseId of range(3, n)) arrive(world, { responseId, completed: at(responseId * SECOND) });
    await runTick(world, { source });
    let minutes = 0;
    for (; minutes < 120 && !deliveredIds(world).includes(2); minutes += 1) {
      world.time.now += MINUTE;
      await runTick(world, { source });
    }
    expect(minutes).toBeLessThanOrEqual(5);
  },
);
