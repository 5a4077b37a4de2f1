import { beforeEach, describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { type Shown, shownAs } from "../../support/shown-as.ts";
import { closedBooks, fullPass, truthOf } from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  pagesRead,
  range,
  runTick,
  SECOND,
  sortedIds,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

type Fields = Record<string, unknown>;

const turned = <T>(all: T[], by: number): T[] => [...all.slice(by % all.length), ...all.slice(0, by % all.length)];

/** What reads differently each time, of which records. */
const kinds: [string, Shown][] = [
  ["a field that the documents do not name", (record, { read }) => ({ ...record, readAt: read })],
  ["names of such fields", (record, { read }) => ({ ...record, [`trace-${read}`]: 1 })],
  ["the comment of some", (record, { read }) => (Number(record.responseId) % 10 > 0 ? record : signed(record, read))],
  [
    "the comment of the last response alone",
    (record, { read }) => (record.responseId === 300 ? signed(record, read) : record),
  ],
  ["the order of the answers", (record, { read }) => ({ ...record, answer: turned([1, 2, 3, 4, 5], read) })],
  ["the order of the fields", (record, { read }) => Object.fromEntries(turned(Object.entries(record), read))],
  ["several of that", (record, { read }) => ({ ...signed(record, read), readAt: read })],
];

const signed = (record: Fields, read: number): Fields => ({ ...record, comment: `https://example.com/${read}` });

/** Responses that do not end with the pages. */
const worldOf = (count: number): MemoryWorld =>
  worldWith(range(1, count).map((responseId) => ({ responseId, completed: at(-HOUR + responseId * SECOND), size: 3 })));

async function ticks(world: MemoryWorld, count: number, source: { startFrom: string }): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
}

describe.each(kinds)("of records that have not changed, %s reads differently each time", (_, shown) => {
  let world: MemoryWorld;
  beforeEach(() => {
    world = worldOf(300);
  });

  describe.each([false, true])("and the last page comes again behind the end: %s", (repeats) => {
    beforeEach(() => shownAs(world, shown, { pastEnd: repeats ? "last" : "nothing" }));

    it("all go out once from the beginning, in one tick and with few more reads", async () => {
      await ticks(world, 1, { startFrom: "beginning" });
      expect(sortedIds(world)).toEqual(range(1, 300));
      expect(pagesRead(world).length).toBeLessThan(80);
    });

    it("what comes goes out once, and nothing of the history", async () => {
      await ticks(world, 3, { startFrom: "now" });
      world.calls.length = 0;
      for (const responseId of range(301, 310)) arrive(world, { responseId, completed: at(4 * MINUTE), size: 3 });
      await ticks(world, 2, { startFrom: "now" });
      expect(sortedIds(world)).toEqual(range(301, 310));
      expect(pagesRead(world).length).toBeLessThan(40);
    });

    it("books are closed, and tell of no change", async () => {
      await ticks(world, 2, { startFrom: "beginning" });
      await fullPass(world);
      await fullPass(world);
      expect(closedBooks(world)).toMatchObject({ ...truthOf(world), changed: 0 });
    });
  });
});

describe("what has changed between two reads", () => {
  it("is told, and counts as changed: the text of a comment is not in it, whether there is one is (R2)", async () => {
    const world = worldOf(300);
    await ticks(world, 2, { startFrom: "beginning" });
    const edited = surveyOf(world).records[150] as Fields;
    surveyOf(world).records[150] = { ...edited, comment: "on second thought" };
    await fullPass(world);
    expect(closedBooks(world).changed).toBe(1);
    expect(deliveredIds(world).slice(300)).toEqual([edited.responseId]);
    expect(world.delivered.at(-1)?.meta).toMatchObject({ revision: 2, changed: ["answers"] });
  });
});

// R2, R5, R6: pages move while a documented answer does. Such a list shows itself, and nothing is guessed.
describe("a score that reads differently each time", () => {
  it.each([false, true])(
    "lets go out what stands inside its pages, and holds and tells of what stands at their edges; last page again: %s",
    async (repeats) => {
      const world = worldOf(300);
      shownAs(world, (record, { read }) => ({ ...record, score: read }), { pastEnd: repeats ? "last" : "nothing" });
      takes(world, 100, ({ operation }) => operation === "page");
      await ticks(world, 5, { startFrom: "beginning" });
      const out = deliveredIds(world);
      expect(new Set(out).size).toBe(out.length);
      expect(world.delivered.every(({ data }) => data.answers.length === 3)).toBe(true);
      expect(out.length).toBeGreaterThan(250);
      const held = world.entries(1).filter(({ state }) => state === "held");
      expect(out.length + held.length).toBe(300);
      const told = world.progress.flatMap((one) => (one.kind === "held" ? [one.count] : []));
      expect(told.reduce((sum, count) => sum + count, 0)).toBe(held.length);
      expect(world.mark(1).books).toBeUndefined();
    },
  );
});
