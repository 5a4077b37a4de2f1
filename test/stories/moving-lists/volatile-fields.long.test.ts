import { beforeEach, describe, expect, it } from "vitest";

import type { PageRead, SurveyService } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
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
  surveyOf,
  takes,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

type Fields = Record<string, unknown>;
type Shown = (record: Fields, read: number) => Fields;

const PAGE = 100;

const turned = <T>(all: T[], by: number): T[] => [...all.slice(by % all.length), ...all.slice(0, by % all.length)];

/** What reads differently each time, of which records. */
const kinds: [string, Shown][] = [
  ["a field that the documents do not name", (record, read) => ({ ...record, readAt: read })],
  ["names of such fields", (record, read) => ({ ...record, [`trace-${read}`]: 1 })],
  ["the comment of some", (record, read) => (Number(record.responseId) % 10 > 0 ? record : signed(record, read))],
  [
    "the comment of the last response alone",
    (record, read) => (record.responseId === 300 ? signed(record, read) : record),
  ],
  ["the order of the answers", (record, read) => ({ ...record, answer: turned([1, 2, 3, 4, 5], read) })],
  ["the order of the fields", (record, read) => Object.fromEntries(turned(Object.entries(record), read))],
  ["several of that", (record, read) => ({ ...signed(record, read), readAt: read })],
];

const signed = (record: Fields, read: number): Fields => ({ ...record, comment: `https://example.com/${read}` });

interface Ends {
  /** Whether the last page is shown once more behind the end. */
  repeats: boolean;
}

/** Lets each answer of the service show its records in another way. */
function shownAs(world: MemoryWorld, shown: Shown, { repeats }: Ends = { repeats: false }): void {
  const { service } = world.ports;
  let reads = 0;
  const all = (records: unknown[]): unknown[] => {
    reads += 1;
    return records.map((record) => shown(record as Fields, reads));
  };
  world.ports.service = {
    surveys: () => service.surveys(),
    metrics: (...asked) => service.metrics(...asked),
    metadata: (...asked) => service.metadata(...asked),
    definition: (...asked) => service.definition(...asked),
    async page(surveyId, page, order): Promise<PageRead> {
      const last = Math.max(1, Math.ceil(surveyOf(world, surveyId).records.length / PAGE));
      const read = await service.page(surveyId, repeats ? Math.min(page, last) : page, order);
      return read.kind === "page" ? { ...read, records: all(read.records) } : read;
    },
    async response(...asked) {
      const read = await service.response(...asked);
      return read.kind === "found" ? { ...read, body: all(read.body) } : read;
    },
  } satisfies SurveyService;
}

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
    beforeEach(() => shownAs(world, shown, { repeats }));

    it("all go out once from the beginning, in one tick and with few more reads", async () => {
      await ticks(world, 1, { startFrom: "beginning" });
      expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 300));
      expect(pagesRead(world).length).toBeLessThan(80);
    });

    it("what comes goes out once, and nothing of the history", async () => {
      await ticks(world, 3, { startFrom: "now" });
      world.calls.length = 0;
      for (const responseId of range(301, 310)) arrive(world, { responseId, completed: at(4 * MINUTE), size: 3 });
      await ticks(world, 2, { startFrom: "now" });
      expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(301, 310));
      expect(pagesRead(world).length).toBeLessThan(40);
    });

    it("books are closed, and tell of no change", async () => {
      await ticks(world, 2, { startFrom: "beginning" });
      await fullPass(world);
      await fullPass(world);
      expect(closedBooks(world)).toMatchObject({ ...truthOf(world), changed: 0 });
    });
  });

  it("a response that is the whole list goes out", async () => {
    world = worldOf(1);
    shownAs(world, shown);
    await ticks(world, 2, { startFrom: "beginning" });
    expect(deliveredIds(world)).toEqual([1]);
  });
});

// R2
describe("what reads differently each time", () => {
  // R11: its comments are compared, and say something else each time.
  it("keeps operation 9 from being trusted, and no response from going out whole", async () => {
    const world = worldOf(300);
    shownAs(world, signed);
    await ticks(world, 3, { startFrom: "beginning" });
    expect(world.mark(1).contents.answers).toBeUndefined();
    expect(world.mark(1).contents.apart).toBeUndefined();
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 300));
    expect(world.delivered.every(({ data }) => data.answers.length === 3)).toBe(true);
    expect(timesCalled(world, "service", "response")).toBeLessThanOrEqual(20);
  });

  it("costs no page more where no response stands across an edge", async () => {
    // Each has one record: none is cut, and nothing needs to be proved.
    const world = worldWith(range(1, 250).map((responseId) => ({ responseId, completed: at(-HOUR), size: 1 })));
    await ticks(world, 1, { startFrom: "now" });
    shownAs(world, signed);
    world.calls.length = 0;
    for (const responseId of range(251, 260)) arrive(world, { responseId, completed: at(4 * MINUTE), size: 1 });
    await ticks(world, 1, { startFrom: "now" });
    expect(deliveredIds(world)).toHaveLength(10);
    expect(timesCalled(world, "service", "response")).toBeLessThanOrEqual(10);
    expect(pagesRead(world).length).toBeLessThanOrEqual(3);
  });

  it("does not keep a list without an end that repeats its last page, where nothing has to be proved", async () => {
    // In no order of completion, and of one record each: a first pass reads all pages, each once.
    const world = worldWith(
      range(1, 250).map((responseId) => ({
        responseId,
        completed: at(-HOUR - ((responseId * 97) % 250) * SECOND),
        size: 1,
      })),
    );
    shownAs(world, signed, { repeats: true });
    await ticks(world, 1, { startFrom: "now" });
    expect(world.mark(1).phase.kind === "head").toBe(true);
    expect(pagesRead(world).length).toBeLessThan(30);
    expect(deliveredIds(world)).toEqual([]);
  });

  it("goes out as it was read last", async () => {
    const world = worldOf(300);
    shownAs(world, signed);
    await ticks(world, 1, { startFrom: "beginning" });
    for (const { data } of world.delivered) {
      expect(data.answers.map(({ comment }) => comment)).toEqual(Array(3).fill(expect.stringMatching(/com\/\d+$/)));
    }
  });

  it("in a record without a readable responseId quarantines that once", async () => {
    const world = worldOf(40);
    surveyOf(world).records.push({ responseId: "?", questionId: 1, completed: 1 });
    shownAs(world, (record, read) => ({ ...record, readAt: read }));
    await ticks(world, 3, { startFrom: "beginning" });
    world.progress.length = 0;
    for (const responseId of range(41, 45)) arrive(world, { responseId, completed: at(4 * MINUTE), size: 3 });
    await ticks(world, 20, { startFrom: "beginning" });
    expect(world.progress.filter(({ kind }) => kind === "quarantined")).toEqual([]);
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
      shownAs(world, (record, read) => ({ ...record, score: read }), { repeats });
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
