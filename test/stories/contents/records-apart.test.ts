import { describe, expect, it } from "vitest";
import { byQuestion, eventsOf, type Row, rowsOf, withoutOperation9 } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, DAY, fullPass, fullPassesOnly as source, truthOf } from "../../support/slow.ts";
import {
  arrive,
  at,
  complete,
  deliveredIds,
  MINUTE,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  sorted,
  sortedIds,
  surveyOf,
  type TickOverrides,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

const sizes = (world: MemoryWorld): Set<number> => new Set(world.delivered.map(({ data }) => data.answers.length));

async function ticks(world: MemoryWorld, count: number, more: TickOverrides = { source }): Promise<void> {
  for (const _ of range(1, count)) {
    await runTick(world, more);
    world.time.now += MINUTE;
  }
}

/** The next response of a list by question: it stands on three pages. */
function arriveByQuestion(world: MemoryWorld, responseId: number): void {
  arrive(world, { responseId, completed: at(responseId * SECOND), size: 3 });
  byQuestion(world);
}

/** Lists the records of each response beside each other again. */
function together(world: MemoryWorld): void {
  surveyOf(world).records = rowsOf(world).toSorted((a, b) => a.responseId - b.responseId);
}

const heldEvents = (world: MemoryWorld) => world.progress.filter(({ kind }) => kind === "held");

// R12
describe("records that lie apart, by an operation 9 that gives each response whole,", () => {
  it.each([
    ["on pages that each show a response in one place", 200],
    ["on a page that shows some in two places", 60],
  ])("are found out by one walk over all pages, and nothing goes out cut: %s", async (_where, count) => {
    const world = worldWith(complete(1, count, 3));
    byQuestion(world);
    await ticks(world, 1);
    expect(world.mark(1).contents).toMatchObject({ apart: 0, answers: "several" });
    expect(sortedIds(world)).toEqual(range(1, count));
    expect(sizes(world)).toEqual(new Set([3]));
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), emitted: count });
    // The catch-up, the walk that tells, and the catch-up once more: each reads its pages twice, and looks for the end.
    expect(pagesRead(world).length).toBeLessThan(50);
    // Each response once, but for those that were compared before, or asked whether operation 9 says anything at all.
    expect(timesCalled(world, "service", "response")).toBeLessThanOrEqual(count + 43);
  });

  it("hold a response of which operation 9 leaves out what a page has shown", async () => {
    const world = worldWith(complete(1, 200, 3));
    byQuestion(world);
    await ticks(world, 1);
    const spec = { responseId: 201, completed: at(201 * SECOND), size: 3 };
    // The first page shows its third record, and operation 9 the other two.
    surveyOf(world).single.set(201, { kind: "found", body: recordsOf(spec).slice(0, 2) });
    arriveByQuestion(world, 201);
    await ticks(world, 30);
    expect(eventsOf(world, 201)).toEqual([]);
    expect(heldEvents(world)).toHaveLength(1);
    surveyOf(world).single.clear();
    await ticks(world, 60);
    expect(eventsOf(world, 201)).toEqual([[1, [1, 2, 3]]]);
  });

  it("are so no more once two full passes in a row have met each response in one place", async () => {
    const world = worldWith(complete(1, 60, 3));
    byQuestion(world);
    await ticks(world, 1);
    together(world);
    await fullPass(world);
    expect(world.mark(1).contents.apart).toBe(1);
    await fullPass(world);
    expect(world.mark(1).contents.apart).toBeUndefined();
    arrive(world, { responseId: 61, completed: at(61 * SECOND), size: 3 });
    withoutOperation9(world);
    await ticks(world, 1);
    expect(eventsOf(world, 61)).toEqual([[1, [1, 2, 3]]]);
  });
});

// R11, R12
describe("an operation 9 that lists answers which the pages never show", () => {
  it("is not trusted: everything goes out by its pages, and it is left alone for a day", async () => {
    const world = worldWith(complete(1, 200, 3));
    for (const spec of complete(1, 210, 4)) {
      surveyOf(world).single.set(spec.responseId, { kind: "found", body: recordsOf(spec) });
    }
    const tomorrow = world.time.now + DAY;
    await ticks(world, 3);
    expect(sortedIds(world)).toEqual(range(1, 200));
    expect(world.mark(1).contents).toMatchObject({ silentUntil: tomorrow });
    expect(world.mark(1).contents.answers).toBeUndefined();
    expect(world.mark(1).contents.apart).toBeUndefined();
    world.calls.length = 0;
    for (const one of complete(201, 210, 3)) arrive(world, one);
    await ticks(world, 2);
    expect(timesCalled(world, "service", "response")).toBe(0);
    expect(sortedIds(world)).toEqual(range(1, 210));
    expect(sizes(world)).toEqual(new Set([3]));
    expect(closedBooks(world)).toMatchObject({ listed: 200, emitted: 200, held: 0 });
  });
});

// A5, R6
describe("records that lie apart while operation 9 says nothing", () => {
  /** Of 60 responses some stand on one page twice. */
  async function held(): Promise<MemoryWorld> {
    const world = worldWith(complete(1, 60, 3));
    byQuestion(world);
    withoutOperation9(world);
    await ticks(world, 2);
    expect(heldEvents(world)).toEqual([]);
    expect(world.mark(1).books).toBeUndefined();
    await ticks(world, 1);
    return world;
  }

  it("are left for two polls and held at the third, told once; the books close and name them", async () => {
    const world = await held();
    expect(heldEvents(world)).toEqual([{ kind: "held", surveyId: 1, count: 60 }]);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 60, held: 60, emitted: 0 });
    expect(new Set(world.entries(1).map(({ state, reason }) => `${state} ${reason}`))).toEqual(
      new Set(["held contents-unproved"]),
    );
    world.calls.length = 0;
    await ticks(world, 60);
    await fullPass(world);
    expect(heldEvents(world)).toHaveLength(1);
    expect(world.delivered).toEqual([]);
  });

  it("go out whole once operation 9 works again", async () => {
    const world = await held();
    surveyOf(world).single.clear();
    world.time.now += DAY;
    for (const _ of range(1, 2)) await fullPass(world);
    await ticks(world, 5);
    expect(sortedIds(world)).toEqual(range(1, 60));
    expect(sizes(world)).toEqual(new Set([3]));
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 60, emitted: 60, held: 0 });
  });
});

// R5, R6
describe("a response across the end of a page that reads otherwise at each look, while operation 9 says nothing", () => {
  it("is left, left, held and told, and proved by a full pass once the page holds still", async () => {
    const world = worldWith([]);
    await ticks(world, 1);
    for (const one of complete(1, 60, 3)) arrive(world, one);
    withoutOperation9(world);
    let isRestless = true;
    let looks = 0;
    world.before.push(({ operation, args }) => {
      // One in the midst of the page with the older ones; response 27 stands across its edge.
      if (isRestless && operation === "page" && args[1] === 2 && args[2] === "desc")
        Object.assign(rowsOf(world)[30] ?? {}, { score: looks++ });
    });
    await ticks(world, 1);
    expect(world.entry(1, 27)).toMatchObject({ state: "held", attempts: 1 });
    await ticks(world, 1);
    expect(world.entry(1, 27)).toMatchObject({ state: "held", attempts: 2 });
    expect(heldEvents(world)).toEqual([]);
    await ticks(world, 1);
    expect(heldEvents(world)).toHaveLength(1);
    expect(deliveredIds(world)).not.toContain(27);
    isRestless = false;
    await fullPass(world);
    expect(eventsOf(world, 27)).toEqual([[1, [1, 2, 3]]]);
    // The one whose score has changed is told once more.
    expect(sorted([...new Set(deliveredIds(world))])).toEqual(range(1, 60));
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 60, emitted: 60, held: 0 });
  });
});

const frequent = { source: { backgroundRequests: 10 } };

/** Fails the calls for which `which` is true. */
function failIf(world: MemoryWorld, which: (operation: string, args: readonly unknown[]) => boolean): void {
  world.before.push(({ operation, args }) => {
    if (which(operation, args)) throw Object.assign(new Error("no answer"), { code: "SERVER_ERROR" });
  });
}

// R12, R9
describe("where records stand together, and operation 9 has more of them than the pages,", () => {
  it("walks that a fault has cut short decide nothing: everything goes out by its pages once one comes to its end", async () => {
    const world = worldWith(complete(1, 60, 3));
    for (const spec of complete(1, 60, 4))
      surveyOf(world).single.set(spec.responseId, { kind: "found", body: recordsOf(spec) });
    let isOut = true;
    // The walk that is to tell begins once operation 9 has answered.
    let hasAnswered = false;
    failIf(world, (operation, args) => {
      hasAnswered ||= operation === "response";
      return isOut && hasAnswered && operation === "page" && args[1] === 2;
    });
    await ticks(world, 10, frequent);
    expect(deliveredIds(world)).toEqual([]);
    isOut = false;
    await ticks(world, 120, frequent);
    expect(sortedIds(world)).toEqual(range(1, 60));
    expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([3]));
    expect(world.mark(1).contents.apart).toBeUndefined();
  });
});

// R12, I9
it("where records lie apart a response that operation 9 never gives keeps no later one waiting", async () => {
  const world = worldWith(complete(1, 1, 3));
  surveyOf(world).single.set(1, { kind: "absent" });
  arrive(world, { responseId: 2, completed: null, size: 3, fields: { completed: 0 } });
  byQuestion(world);
  await ticks(world, 5, frequent);
  expect(world.entry(1, 1)).toMatchObject({ state: "held" });
  surveyOf(world).records = complete(1, 2, 3).flatMap(recordsOf);
  byQuestion(world);
  await ticks(world, 20, frequent);
  expect(eventsOf(world, 2)).toEqual([[1, [1, 2, 3]]]);
  expect(eventsOf(world, 1)).toEqual([]);
});

// R12. Response 25 is none of the first 20, which are compared with operation 9 (R11). That gives it whole, so A5 holds.
it("one record that stands far from the others is found out by a full pass, and its response goes out whole", async () => {
  const world = worldWith(complete(1, 200, 3));
  const isOf = (id: number) => (record: Row) => record.responseId === id;
  const third = rowsOf(world).filter(isOf(25)).slice(2);
  const others = rowsOf(world).filter((record) => !third.includes(record));
  surveyOf(world).records = others.toSpliced(others.findIndex(isOf(150)), 0, ...third);
  await ticks(world, 1);
  for (const one of complete(301, 303, 3)) {
    await fullPass(world);
    arrive(world, one);
    await ticks(world, 1);
    expect(world.mark(1).contents).toMatchObject({ apart: 0, answers: "several" });
  }
  expect(eventsOf(world, 25).at(-1)).toEqual([expect.any(Number), [1, 2, 3]]);
});
