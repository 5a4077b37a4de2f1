import { expect, it } from "vitest";
import { at, deliveredIds, HOUR, MINUTE, range, runTick, SECOND, worldWith } from "../../support/survey.ts";

const never = 10_000 * HOUR;
const source = {
  startFrom: "now",
  backgroundRequests: 50,
  fullPoll: { every: never },
  patrol: { every: never, full: 8 * HOUR },
};
it("a list that is read as empty for a moment does not make history whole", async () => {
  // In no order of completion, all within three hours.
  const world = worldWith(
    range(1, 60).map((responseId) => ({
      responseId,
      completed: at(responseId === 2 ? -SECOND : -(100 + ((responseId * 7919) % 7000)) * SECOND),
      size: 10,
    })),
  );
  let state: "page 3 fails" | "empty" | "well" = "page 3 fails";
  const { page } = world.ports.service;
  world.ports.service.page = async (surveyId, number, order) => {
    if (state === "empty") return { kind: "page", records: [] };
    if (state === "page 3 fails" && number === (order === "asc" ? 3 : 4)) throw new Error("no answer");
    return page(surveyId, number, order);
  };
  for (let i = 0; i < 20; i += 1) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
  expect(world.mark(1).floor?.isPartial).toBe(true);
  // The next full pass meets a list that is gone for as long.
  world.time.now = (world.mark(1).nextPass ?? 0) + MINUTE;
  state = "empty";
  await runTick(world, { source });
  expect.soft(world.mark(1).floor?.isPartial).toBe(true);
  state = "well";
  for (let i = 0; i < 12; i += 1) {
    world.time.now += 30 * MINUTE;
    await runTick(world, { source });
  }
  expect.soft(deliveredIds(world)).toEqual([]);
});
it("(control) without that moment nothing goes out", async () => {
  const world = worldWith(
    range(1, 60).map((responseId) => ({
      responseId,
      completed: at(responseId === 2 ? -SECOND : -(100 + ((responseId * 7919) % 7000)) * SECOND),
      size: 10,
    })),
  );
  let fails = true;
  const { page } = world.ports.service;
  world.ports.service.page = async (surveyId, number, order) => {
    if (fails && number === (order === "asc" ? 3 : 4)) throw new Error("no answer");
    return page(surveyId, number, order);
  };
  for (let i = 0; i < 20; i += 1) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
  world.time.now = (world.mark(1).nextPass ?? 0) + MINUTE;
  fails = false;
  for (let i = 0; i < 12; i += 1) {
    await runTick(world, { source });
    world.time.now += 30 * MINUTE;
  }
  expect(deliveredIds(world)).toEqual([]);
});
