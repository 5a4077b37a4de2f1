import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
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
const settled = (n: number) =>
  worldWith(range(1, n).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })));
const late = (world: MemoryWorld, place: number): void =>
  void surveyOf(world).records.splice(place, 0, ...recordsOf({ responseId: 900, completed: at(-HOUR), size: 10 }));

describe("what a walk below the head has met and had to leave", () => {
  it("is not taken for dealt with by a patrol that came to the end of the list", async () => {
    const source = { backgroundRequests: 100, fullPoll: { every: never }, patrol: { every: HOUR, full: never } };
    const world = settled(300);
    await runTick(world, { source });
    // Page 29 of 31: the patrol's level 3 (32 pages, each 8 hours) comes to it and to the end.
    late(world, 200);
    world.time.now += 9 * HOUR;
    world.bus.decide = () => ({ kind: "failed", code: "InternalFailure" });
    let met = false;
    world.before.push(({ operation }) => {
      met ||= operation === "publish";
    });
    for (let i = 0; i < 60 && !met; i += 1) {
      world.time.now += MINUTE;
      await runTick(world, { source });
    }
    expect(met).toBe(true);
    world.bus.decide = () => undefined;
    let minutes = 0;
    for (; minutes < 60 && !deliveredIds(world).includes(900); minutes += 1) {
      world.time.now += MINUTE;
      await runTick(world, { source });
    }
    expect(deliveredIds(world)).toContain(900);
  });
});
