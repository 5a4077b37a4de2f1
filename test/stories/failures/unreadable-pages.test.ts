import { describe, expect, it } from "vitest";
import { DAY, readsOf, scrubsOnly as source } from "../../support/slow.ts";
import { at, HOUR, MINUTE, range, runTick, SECOND, surveyOf, takes, worldWith } from "../../support/survey.ts";

describe("pages of which no record has a readable responseId", () => {
  it("are read no faster than any others, and the scrub goes on behind them at the next tick", async () => {
    const world = worldWith(
      range(1, 400).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * SECOND), size: 5 })),
    );
    await runTick(world, { source });
    for (let i = 0; i < 5; i += 1) {
      world.time.now += MINUTE;
      await runTick(world, { source });
    }
    // The service gives the id another name for a while.
    const survey = surveyOf(world);
    survey.records = survey.records.map((record, i) => ({ ...(record as object), responseId: null, questionId: i }));
    takes(world, SECOND, ({ operation }) => operation === "page");
    world.time.now += DAY;
    const places: (number | undefined)[] = [];
    for (let i = 0; i < 8; i += 1) {
      world.calls.length = 0;
      await runTick(world, { source });
      expect(readsOf(world, "asc").length).toBeLessThan(10);
      places.push(world.mark(1).pass?.page);
      world.time.now += MINUTE;
    }
    expect(places.at(-1)).toBeGreaterThan(places[0] ?? 0);
  });
});
