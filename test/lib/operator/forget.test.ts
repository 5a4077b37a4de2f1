import { expect, it } from "vitest";
import { forget } from "../../../lib/operator/forget.ts";
import { at, MINUTE, range, replace, runTick, worldWith } from "../../support/survey.ts";
import { memoryGraph } from "../support/graph.ts";
import { operate } from "../support/operation.ts";

// The documented way: first the response is deleted in the service.
it("a response is forgotten though nobody knows whether its last revision went out", async () => {
  const world = worldWith(range(1, 5).map((responseId) => ({ responseId, completed: at(-responseId * MINUTE) })));
  await runTick(world);
  world.bus.decide = ({ meta }) => (meta.revision === 2 ? { kind: "failed", code: "InternalFailure" } : undefined);
  replace(world, { responseId: 3, completed: at(-3 * MINUTE), size: 4 });
  for (let minute = 0; minute < 20; minute += 1) {
    world.time.now += MINUTE;
    await runTick(world);
  }
  expect(world.entry(1, 3)).toMatchObject({ revision: 1, next: { revision: 2 } });
  world.model.remove(1, 3);
  const done = await operate(world, forget, { surveyId: 1, response: 3 }, { graph: memoryGraph(world) });
  expect(done).toEqual({ outcome: "done" });
  expect(world.entry(1, 3)).toMatchObject({ state: "emitted", reason: "forgotten", revision: 1 });
});
