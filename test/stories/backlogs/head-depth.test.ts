import { expect, it } from "vitest";
import { openTo } from "../../../lib/polling/index.ts";
import { arrive, at, MINUTE, pagesRead, range, runTick, SECOND, worldWith } from "../../support/survey.ts";

const never = 10_000 * 24 * 60 * MINUTE;
const source = { fullPoll: { every: never }, patrol: { every: never, full: never } };
it("one response that the bus does not take does not make the head walk deeper at each tick", async () => {
  const world = worldWith(
    range(1, 600).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  arrive(world, { responseId: 1_000, completed: at(1_000 * SECOND), size: 10 });
  world.bus.decide = ({ data }) =>
    data.responseId === 1_000 ? { kind: "failed", code: "InternalFailure" } : undefined;
  const reads: number[] = [];
  const opens: (number | undefined)[] = [];
  for (let i = 0; i < 40; i += 1) {
    world.time.now += MINUTE;
    world.calls.length = 0;
    await runTick(world, { source });
    reads.push(pagesRead(world).length);
    opens.push(openTo(world.mark(1)));
  }
  expect(Math.max(...reads)).toBeLessThanOrEqual(10);
});
it("nor does an outage of the bus", async () => {
  const world = worldWith(
    range(1, 600).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
  );
  await runTick(world, { source });
  arrive(world, { responseId: 1_000, completed: at(1_000 * SECOND), size: 10 });
  world.bus.decide = () => ({ kind: "failed", code: "InternalFailure" });
  const reads: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    world.time.now += MINUTE;
    world.calls.length = 0;
    await runTick(world, { source });
    reads.push(pagesRead(world).length);
  }
  expect(Math.max(...reads)).toBeLessThanOrEqual(10);
});
