import { expect, it } from "vitest";
import { at, deliveredIds, MINUTE, range, runTick, SECOND, worldWith } from "../../support/survey.ts";

const source = { startFrom: "now" };
it.each([
  ["40 responses", 40],
  ["a list beyond the first look", 200],
])(
  "a first pass that did not reach what the other order begins with publishes nothing from before the floor (%s)",
  async (_, n) => {
    // In no order of completion; all within three hours below the floor.
    const ids = range(1, n);
    const world = worldWith(
      ids.map((responseId) => ({ responseId, completed: at(-((responseId * 7919) % 7000) * SECOND), size: 10 })),
    );
    const { page } = world.ports.service;
    // The asc order shows no page behind the last but one.
    const last = n / 10;
    world.ports.service.page = async (surveyId, number, order) =>
      order === "asc" && number >= last ? { kind: "page", records: [] } : page(surveyId, number, order);
    for (let i = 0; i < 10; i += 1) {
      await runTick(world, { source });
      world.time.now += MINUTE;
    }
    expect(deliveredIds(world)).toEqual([]);
  },
);
