import { describe, expect, it } from "vitest";
import { withoutOperation9 } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { fullPassesOnly } from "../../support/slow.ts";
import {
  arrive,
  at,
  complete,
  deliveredIds,
  MINUTE,
  range,
  recordsOf,
  replace,
  runTick,
  SECOND,
  sortedIds,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const bare = { enrich: { metrics: false, metadata: false } };
const fromBeginning = { source: { ...bare, startFrom: "beginning" as const } };

async function quiet(world: ReturnType<typeof worldWith>, ticks: number, options = {}): Promise<void> {
  for (let i = 0; i < ticks; i += 1) {
    world.time.now += MINUTE;
    await runTick(world, options);
  }
}

describe("a list that changes while it is read", () => {
  it("loses no open response that completes between two reads of its page", async () => {
    const world = worldWith([]);
    await runTick(world);
    arrive(world, { responseId: 1, size: 3 });
    for (const id of range(2, 50)) arrive(world, { responseId: id, size: 3, completed: at(id) });
    let pages = 0;
    world.after.push(({ operation }) => {
      if (operation !== "page") return;
      pages += 1;
      if (pages !== 2) return;
      replace(world, { responseId: 1, size: 3, completed: at(900) });
      arrive(world, { responseId: 51, size: 3, completed: at(901) });
    });

    await quiet(world, 120);

    expect(deliveredIds(world)).toContain(1);
  });

  it("is not taken to end at a page that is read as empty once", async () => {
    const world = worldWith(range(1, 40).map((id) => ({ responseId: id, size: 7, completed: at(-id * 1_000) })));
    const read = world.ports.service.page;
    let once = true;
    world.ports.service.page = async (surveyId, page, order) => {
      if (!once || order !== "asc" || page !== 3) return read(surveyId, page, order);
      once = false;
      return { kind: "page", records: [] };
    };

    await runTick(world, fromBeginning);
    await quiet(world, 20, fromBeginning);

    expect(sortedIds(world)).toEqual(range(1, 40));
    expect(world.delivered.map(({ data }) => data.answers.length).filter((length) => length !== 7)).toEqual([]);
  });
});

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
    const world = worldWith(complete(1, 300, 4));
    await ticksWithArrivals(world, 40);
    expect(world.delivered.length).toBeGreaterThanOrEqual(300);
    expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([4]));
  });
});
