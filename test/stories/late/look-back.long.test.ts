import { describe, expect, it } from "vitest";
import type { PollingSource } from "../../../lib/polling/model/source.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { DAY, lookBacksOnly, readsOf, ticksUntil } from "../../support/slow.ts";
import {
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

// Depths of 1 h, 2 h, 4 h and 8 h, each looked at as often as it is deep.
const source = lookBacksOnly;
const PER_HOUR = 60;

type Row = { dateCompleted: string; responseId: number };

/** A response for each minute of the last `hours` hours; the list is in the order that `key` gives. */
async function quietWorld(
  hours: number,
  key: "completed" | "none" = "completed",
  first: Partial<PollingSource> = source,
): Promise<MemoryWorld> {
  const count = hours * PER_HOUR;
  const world = worldWith(
    range(1, count).map((responseId) => {
      // In no order: a step that meets every place once.
      const place = key === "completed" ? responseId : ((responseId * 7_919) % count) + 1;
      const started = at((((responseId * 6_151) % count) - 2 * count) * MINUTE);
      return { responseId, completed: at((place - count) * MINUTE), fields: { dateStart: started } };
    }),
  );
  await runTick(world, { source: first, deadline: Number.POSITIVE_INFINITY });
  world.calls.length = 0;
  world.delivered.length = 0;
  return world;
}

/**
 * Lists a response where its date belongs, so long before the newest one, without any count: one that was open and not
 * listed till then.
 */
function complete(world: MemoryWorld, responseId: number, ago: number): void {
  const { records } = surveyOf(world);
  const date = at(-ago);
  const index = (records as Row[]).findIndex(({ dateCompleted }) => dateCompleted > date);
  records.splice(index < 0 ? records.length : index, 0, ...recordsOf({ responseId, completed: date }));
}

/** Keeps news coming, one each `every` minutes, each of them counted. */
function newsEvery(world: MemoryWorld, every: number): (tick: number) => void {
  let id = 100_000;
  return (tick) => {
    if (tick % every !== 0) return;
    const survey = surveyOf(world);
    survey.records.push(...recordsOf({ responseId: id, completed: at(world.time.now - noon - 1 * SECOND) }));
    survey.counts.responses = Number(survey.counts.responses) + 1;
    id += 1;
  };
}

const minutesUntil = (world: MemoryWorld, id: number, between?: (tick: number) => void): Promise<number> =>
  ticksUntil(
    world,
    () => deliveredIds(world).includes(id),
    { source, ...(between === undefined ? {} : { between }) },
    2_000,
  );

describe("a completion that is late, unlisted and uncounted, in a list sorted by a date", () => {
  it.each([
    [0.9, 1],
    [1.8, 2],
    [3.5, 4],
    [7, 8],
  ])("%d h deep is found by a look-back within %d h and the time of its slices", async (depth, period) => {
    const world = await quietWorld(12);
    // Every depth has been looked at once or more.
    await ticksUntil(world, () => world.time.now >= noon + 9 * HOUR, { source }, 1_000);
    expect(world.mark(1).sortKey).toBe("completed");
    complete(world, 900_000, depth * HOUR);

    const minutes = await minutesUntil(world, 900_000);
    expect(minutes).toBeLessThanOrEqual(period * 60 + 30);
    expect(world.delivered.find(({ data }) => data.responseId === 900_000)?.meta.origin).toBe("look-back");
  });

  it("deeper than the window is left to the scrub", async () => {
    const scrubbed = { source: { ...source, scrub: { every: DAY } } };
    const world = await quietWorld(12, "completed", scrubbed.source);
    await ticksUntil(world, () => world.time.now >= noon + HOUR, scrubbed, 1_000);
    complete(world, 900_000, 11 * HOUR);
    await ticksUntil(world, () => world.time.now >= noon + DAY - MINUTE, scrubbed, 2_000);
    expect(deliveredIds(world)).not.toContain(900_000);
    await ticksUntil(world, () => deliveredIds(world).includes(900_000), scrubbed);
    expect(world.delivered.at(-1)?.meta.origin).toBe("scrub");
  });

  it("costs no more pages than its depth: the deep ones come seldom", async () => {
    const world = await quietWorld(12);
    await ticksUntil(world, () => world.time.now >= noon + 8 * HOUR + MINUTE, { source }, 1_000);
    world.calls.length = 0;
    await ticksUntil(world, () => world.time.now >= noon + 16 * HOUR, { source }, 1_000);
    const deepest = Math.max(...readsOf(world, "desc").map(({ args }) => Number(args[1])));
    // 8 h of 60 responses of 2 records are 10 pages; eight looks, of which one goes so deep, and shows the pages behind.
    expect(deepest).toBeGreaterThanOrEqual(10);
    expect(deepest).toBeLessThanOrEqual(12);
    const deep = readsOf(world, "desc").filter(({ args }) => Number(args[1]) >= 9).length;
    expect(deep).toBeLessThanOrEqual(6);
    // Each slice of four pages reads one more to find its place again.
    expect(readsOf(world, "desc").length).toBeLessThanOrEqual(8 * 2 + 4 * 3 + 2 * 6 + 11 + 8 + 4);
  });
});

// R23
describe("in a list sorted by nothing that is known", () => {
  it.each([
    [2, 1],
    [3, 2],
    [5, 4],
    [9, 8],
  ])("on page %d it is found by a look-back within %d h and the time of its slices", async (page, period) => {
    const world = await quietWorld(12, "none");
    await ticksUntil(world, () => world.time.now >= noon + 9 * HOUR, { source }, 1_000);
    expect(world.mark(1).sortKey).toBe("other");
    const { records } = surveyOf(world);
    records.splice(records.length - (page * 100 - 50), 0, ...recordsOf({ responseId: 900_000, completed: at(0) }));
    const minutes = await minutesUntil(world, 900_000);
    expect(minutes).toBeLessThanOrEqual(period * 60 + 40);
  });
});

describe("a look-back in slices", () => {
  it("goes on where it stopped, across ticks, though news come in between at the head", async () => {
    const world = await quietWorld(12);
    await ticksUntil(world, () => world.mark(1).sweep?.level === 3, { source }, 1_000);
    complete(world, 900_000, 7.4 * HOUR);
    complete(world, 900_001, 6.9 * HOUR);
    const news = newsEvery(world, 3);
    const pages: number[] = [];
    await ticksUntil(
      world,
      () => deliveredIds(world).includes(900_000),
      {
        source,
        between: (tick) => {
          news(tick);
          const page = world.mark(1).sweep?.page;
          if (page !== undefined && page !== pages.at(-1)) pages.push(page);
        },
      },
      300,
    );
    expect(deliveredIds(world)).toContain(900_001);
    // The deepest sweep came down in slices, and never went back.
    expect(pages.length).toBeGreaterThan(1);
    expect(pages).toEqual(pages.toSorted((a, b) => a - b));
  });

  it("leaves the first 1 h look-back to an hour after the first poll, which has read everything", async () => {
    const world = await quietWorld(4);
    await ticksUntil(world, () => world.time.now >= noon + HOUR - MINUTE, { source });
    expect(readsOf(world, "desc")).toEqual([]);
    await ticksUntil(world, () => readsOf(world, "desc").length > 0, { source }, 5);
  });

  it("of each depth comes to its end, though shallow ones take longer than the time between them", async () => {
    // Ten pages for each five minutes: at a page a tick no look-back is in time.
    const world = worldWith(
      range(1, 400).map((responseId) => ({
        responseId,
        size: 20,
        completed: at((responseId - 400) * 6 * SECOND),
        fields: { dateStart: at(-((responseId * 7_919) % 1_000) * HOUR) },
      })),
    );
    const dense = { ...source, lookBack: { every: 5 * MINUTE, window: 40 * MINUTE } };
    await runTick(world, { source: dense, deadline: Number.POSITIVE_INFINITY });
    const began = world.time.now;
    await ticksUntil(world, () => world.time.now >= began + 12 * HOUR, { source: dense }, 1_000);
    const ages = (world.mark(1).lookedBack ?? []).map((time) => world.time.now - time);
    expect(ages).toHaveLength(4);
    expect(Math.max(...ages)).toBeLessThan(10 * HOUR);
  });

  it("after a failure is not taken for done", async () => {
    const world = await quietWorld(12);
    await ticksUntil(world, () => world.time.now >= noon + 9 * HOUR, { source }, 1_000);
    complete(world, 900_000, 0.9 * HOUR);
    let failures = 0;
    world.before.push(({ operation }) => {
      if (operation !== "page" || failures >= 6) return;
      failures += 1;
      throw new Error("no page");
    });
    const minutes = await minutesUntil(world, 900_000);
    expect(failures).toBe(6);
    expect(minutes).toBeLessThanOrEqual(60 + 30);
    expect(world.time.now).toBeLessThan(noon + DAY);
  });
});
