import { describe, expect, it } from "vitest";

import { complete, withoutOperation9 } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, fullPass, fullPassesOnly, ticksUntil } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const source = { ...fullPassesOnly, enrich: { metrics: false, metadata: false } };

/** Ticks with time for 6 pages, before each of which one response comes near the beginning of the list, while operation 9 gives nothing. */
async function ticksWithArrivals(world: MemoryWorld, most: number): Promise<void> {
  world.after.push(({ operation }) => {
    if (operation === "page") world.time.now += SECOND;
  });
  for (const tick of range(1, most)) {
    world.time.now += MINUTE;
    const late = recordsOf({ responseId: 5_000 + tick, completed: at(0), size: 4 });
    surveyOf(world).records.splice(40, 0, ...late);
    withoutOperation9(world);
    await runTick(world, { source, deadline: world.time.now + 6 * SECOND });
    if (world.delivered.length >= 300) return;
  }
}

describe("a backlog longer than a poll, of which nothing but pages can tell whether responses are whole", () => {
  it("goes out although one more comes early in the list during each pass", async () => {
    const world = worldWith(complete(range(1, 300), 4));
    await ticksWithArrivals(world, 40);
    expect(world.delivered.length).toBeGreaterThanOrEqual(300);
    expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([4]));
  });
});

// R5, R7, R8
describe("a backlog of 4,000 responses, to which one more comes with every second page read, 500 in all,", () => {
  const SIZE = 3;
  const places: [string, (records: number, arrival: number) => number][] = [
    ["at the newest end", (records) => records],
    ["before all others", () => 0],
    ["anywhere", (records, arrival) => ((arrival * 7_919) % (records / SIZE)) * SIZE],
  ];

  it.each(places)(
    "is caught up in a bounded number of requests, nothing lost, cut or repeated: %s",
    async (_where, placeOf) => {
      const world = worldWith(complete(range(1, 4_000), SIZE));
      let reads = 0;
      let come = 0;
      let isQuiet = false;
      world.before.push(({ operation }) => {
        if (operation !== "page") return;
        reads += 1;
        if (reads > 4_000) throw new Error("no end");
        if (reads % 2 === 1 || come === 500 || isQuiet) return;
        come += 1;
        const survey = surveyOf(world);
        const place = placeOf(survey.records.length, come);
        survey.records.splice(
          place,
          0,
          ...recordsOf({ responseId: 4_000 + come, completed: at(come * SECOND), size: SIZE }),
        );
        survey.counts.responses = 4_000 + come;
      });
      const tick = { deadline: Number.POSITIVE_INFINITY };
      await ticksUntil(world, () => world.mark(1).phase.kind === "head", { source, tick }, 30);
      expect(reads).toBeLessThan(2_000);
      isQuiet = true;
      // What has come before the place that the walk had reached by then.
      await fullPass(world, { source: { ...source, backgroundRequests: 500 } });
      expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 4_000 + come));
      expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([SIZE]));
      expect(closedBooks(world)).toMatchObject({ listed: 4_000 + come, emitted: 4_000 + come });
    },
  );

  it("costs each tick few requests where what comes at the newest end never ends", async () => {
    const world = worldWith(complete(range(1, 4_000), 1));
    let come = 0;
    world.before.push(({ operation }) => {
      if (operation !== "page" || pagesRead(world).length % 2 === 1) return;
      if (pagesRead(world).length > 1_000) throw new Error("no end");
      come += 1;
      arrive(world, { responseId: 4_000 + come, completed: at(come * SECOND), size: 1 });
    });
    for (const _ of range(1, 5)) {
      world.calls.length = 0;
      await runTick(world, { source: { ...source, backgroundRequests: 0 }, deadline: Number.POSITIVE_INFINITY });
      world.time.now += MINUTE;
      // 41 pages twice, and the end until it is given out as it is.
      expect(pagesRead(world).length).toBeLessThan(200);
    }
    const ids = deliveredIds(world);
    expect(new Set(ids).size).toBe(ids.length);
    // What has come during the last looks is left to the next tick.
    expect(ids.length).toBeGreaterThan(4_000 + come - 100);
  });
});
