import { describe, expect, it } from "vitest";
import { DAY, readsOf, fullPassesOnly as source } from "../../support/slow.ts";
import { at, HOUR, MINUTE, range, runTick, SECOND, surveyOf, takes, worldWith } from "../../support/survey.ts";

const TICKS = 60;

describe("pages of which no record has a readable responseId", () => {
  it("are read no faster than any others, and each slice of a full pass gets further", async () => {
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
    const places: number[] = [];
    world.calls.length = 0;
    let most = 0;
    for (let i = 0; i < TICKS; i += 1) {
      const before = readsOf(world, "asc").length;
      await runTick(world, { source });
      const reads = readsOf(world, "asc").length - before;
      const { pass } = world.mark(1);
      if (reads > 0 && pass !== undefined) places.push(pass.page);
      most = Math.max(most, reads);
      world.time.now += MINUTE;
    }
    // A request a tick, and what the last slice has taken beforehand.
    expect(readsOf(world, "asc").length).toBeLessThanOrEqual(TICKS + most);
    expect(places.length).toBeGreaterThan(1);
    for (const [i, place] of places.slice(1).entries()) expect(place).toBeGreaterThan(places[i] ?? 0);
  });
});
