import { describe, expect, it } from "vitest";
import { isHistoryMet } from "../../../lib/polling/model/phase.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  letTimePass,
  MINUTE,
  noon,
  type ResponseSpec,
  range,
  runTick,
  SECOND,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

// R16

const source = { startFrom: "now" };

/** 150 responses within 25 minutes, up to a moment: no date alone says that one is before the floor. */
const historyUntil = (moment: number) => {
  const dateOf = (place: number): string => at(moment - place * 10 * SECOND);
  const sorted = range(1, 150).map(
    (responseId): ResponseSpec => ({
      responseId,
      completed: dateOf(151 - responseId),
      fields: { dateStart: at(-30 * HOUR - ((responseId * 79) % 101) * HOUR) },
    }),
  );
  const unsorted = range(1, 150).map(
    (responseId): ResponseSpec => ({ responseId, completed: dateOf(((responseId * 37) % 150) + 1) }),
  );
  return { sorted, unsorted, newest: dateOf(1) };
};

/** Up to the first tick. */
const recent = historyUntil(0);
/** Older than half a day: a source whose first tick has read no date begins that long before it. */
const older = historyUntil(-20 * HOUR);
const { sorted, newest } = older;

/** What the service shows of a page at a moment of its glitch. */
const glitches = {
  "every page is empty": () => [],
  "every page shows its first records alone": (records: unknown[]) => records.slice(0, 20),
};

/** Every read of a page takes a second; until a moment it shows what the glitch makes of it. */
function withGlitch(world: MemoryWorld, until: number, glitch: (records: unknown[]) => unknown[]): void {
  const { service } = world.ports;
  world.ports.service = {
    ...service,
    async page(...args) {
      const read = await service.page(...args);
      const isGlitch = world.time.now < until && read.kind === "page";
      return isGlitch ? { ...read, records: glitch(read.records) } : read;
    },
  };
  takes(world, SECOND, ({ operation }) => operation === "page");
}

/** Ticks at whole minutes, each with time for all of it. */
async function ticks(world: MemoryWorld, count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) {
    const began = world.time.now;
    await letTimePass(world, runTick(world, { source, deadline: began + 50 * SECOND }));
    world.time.now = began + MINUTE;
  }
}

describe.each(Object.entries(glitches))("where at first %s, although 150 responses are counted", (_name, glitch) => {
  it.each([
    ["sorted by completion", 2, recent.sorted, recent.newest],
    ["sorted by completion", 5, recent.sorted, recent.newest],
    ["sorted by completion", 150, older.sorted, older.newest],
    ["in no order", 2, recent.unsorted, recent.newest],
    ["in no order", 5, recent.unsorted, recent.newest],
    ["in no order", 150, older.unsorted, older.newest],
  ])(
    "of a list %s, for %i s, nothing of history goes out, and what comes later does",
    async (_order, seconds, all, newest) => {
      const world = worldWith(all);
      withGlitch(world, noon + seconds * SECOND, glitch);
      await ticks(world, 6);
      expect(deliveredIds(world)).toEqual([]);
      expect(world.mark(1)).toMatchObject({ phase: { kind: "head" }, floor: { at: newest } });

      arrive(world, { responseId: 201, completed: at(7 * MINUTE) });
      await ticks(world, 3);

      expect(deliveredIds(world)).toEqual([201]);
    },
  );

  it("nothing is noted and no floor is set while it lasts", async () => {
    const world = worldWith(sorted);
    withGlitch(world, Number.POSITIVE_INFINITY, glitch);
    await ticks(world, 30);
    expect(world.mark(1).floor).toBeUndefined();
    expect(isHistoryMet(world.mark(1))).toBe(false);
    expect(world.entries(1)).toEqual([]);
  });
});

describe("a list that goes on showing fewer responses than are counted", () => {
  it.each([0, 20])("(%i) is believed when looks over an hour have shown the same", async (shown) => {
    const world = worldWith(sorted.slice(0, shown));
    surveyOf(world).counts.responses = 150;
    await ticks(world, 59);
    expect(isHistoryMet(world.mark(1))).toBe(false);
    await ticks(world, 3);
    expect(isHistoryMet(world.mark(1))).toBe(true);
    expect(deliveredIds(world)).toEqual([]);

    arrive(world, { responseId: 201, completed: at(70 * MINUTE) });
    await ticks(world, 3);

    expect(deliveredIds(world)).toEqual([201]);
  });

  it("is believed an hour after it has shown fewer for the last time", async () => {
    const world = worldWith(sorted.slice(0, 2));
    surveyOf(world).counts.responses = 150;
    await ticks(world, 40);
    surveyOf(world).records = [];
    await ticks(world, 50);
    expect(isHistoryMet(world.mark(1))).toBe(false);
    await ticks(world, 15);
    expect(isHistoryMet(world.mark(1))).toBe(true);
    expect(deliveredIds(world)).toEqual([]);
  });

  it("is believed after an hour in which it has only grown", async () => {
    const world = worldWith(sorted.slice(0, 2));
    surveyOf(world).counts.responses = 150;
    await ticks(world, 40);
    const [, , response] = sorted;
    if (response !== undefined) surveyOf(world).records.push(...surveyOf(worldWith([response])).records);
    await ticks(world, 22);
    expect(isHistoryMet(world.mark(1))).toBe(true);
    expect(deliveredIds(world)).toEqual([]);
  });

  it("is not believed for two looks, however far apart", async () => {
    const world = worldWith([]);
    surveyOf(world).counts.responses = 150;
    await ticks(world, 1);
    world.time.now += 5 * HOUR;
    await ticks(world, 1);
    expect(isHistoryMet(world.mark(1))).toBe(false);
    await ticks(world, 1);
    expect(isHistoryMet(world.mark(1))).toBe(true);
  });
});

describe("an empty survey", () => {
  it("without any count that can be read is believed at the second look, a tick later", async () => {
    const world = worldWith([], { counts: { responses: null, correct: null, unpaidResponses: null } });
    await ticks(world, 1);
    expect(isHistoryMet(world.mark(1))).toBe(false);
    await ticks(world, 1);
    expect(isHistoryMet(world.mark(1))).toBe(true);

    surveyOf(world).records.push(...surveyOf(worldWith([{ responseId: 1, completed: at(3 * MINUTE) }])).records);
    await ticks(world, 2);

    expect(deliveredIds(world)).toEqual([1]);
  });

  it("of which the counts say so is believed at once", async () => {
    const world = worldWith([]);
    await ticks(world, 1);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" }, floor: { at: null } });
  });

  it("that was empty for one look alone, without counts, sets no floor by that", async () => {
    const world = worldWith(sorted, { counts: { responses: null, correct: null, unpaidResponses: null } });
    withGlitch(world, noon + 30 * SECOND, () => []);
    await ticks(world, 5);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" }, floor: { at: newest } });
    expect(deliveredIds(world)).toEqual([]);
  });
});

it("a full page is believed at once, whatever the counts say", async () => {
  const world = worldWith(sorted);
  surveyOf(world).counts.responses = 5_000;
  await ticks(world, 1);
  expect(world.mark(1)).toMatchObject({ phase: { kind: "head" }, floor: { at: newest } });
  expect(deliveredIds(world)).toEqual([]);
});

describe("a small survey of which more is counted than is listed, for good", () => {
  it("begins after an hour, though responses come meanwhile", async () => {
    const world = worldWith(sorted.slice(0, 20));
    surveyOf(world).counts.responses = 40;
    for (const responseId of range(201, 204)) {
      await ticks(world, 55);
      arrive(world, { responseId, completed: at(world.time.now - noon) });
    }
    await ticks(world, 3);
    expect(deliveredIds(world)).toEqual(expect.arrayContaining([202, 203, 204]));
  });
});
