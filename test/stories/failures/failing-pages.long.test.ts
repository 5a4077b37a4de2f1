import { describe, expect, it } from "vitest";
import { placeOf } from "../../../lib/polling/index.ts";
import { byQuestion } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, remove, fullPassesOnly as source, ticksUntil } from "../../support/slow.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  pagesRead,
  range,
  runTick,
  SECOND,
  surveyOf,
  type TickOverrides,
  takes,
  worldWith,
} from "../../support/survey.ts";

// Pages that fail for a moment in the midst of a list, at services that fail behind the end as well and at others.

const complete = (from: number, to: number, size = 2) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size }));

const fault = () => Object.assign(new Error("no page"), { code: "SERVER_ERROR" });

function failIf(world: MemoryWorld, which: (page: number) => boolean): void {
  world.before.push(({ operation, args }) => {
    if (operation === "page" && which(Number(args[1]))) throw fault();
  });
}

const lastPage = (world: MemoryWorld): number => Math.max(1, Math.ceil(surveyOf(world).records.length / 100));

async function ticks(world: MemoryWorld, count: number, overrides?: TickOverrides): Promise<void> {
  for (const _ of range(1, count)) {
    world.time.now += MINUTE;
    await runTick(world, overrides);
  }
}

/** Goes on until a full pass has got to this page. */
async function passUpTo(world: MemoryWorld, page: number, backgroundRequests = 1): Promise<void> {
  await ticks(world, 8, { source });
  world.time.now = world.mark(1).nextPass ?? 0;
  for (let i = 0; i < 2_000 && (world.mark(1).pass?.page ?? 0) < page; i += 1) {
    await ticks(world, 1, { source: { ...source, backgroundRequests } });
  }
  expect(world.mark(1).pass?.page).toBeGreaterThanOrEqual(page);
}

it("behind a short page of the list's own end none that the other order shows to go on, though that is how it ended before", async () => {
  const size = 60;
  const world = worldWith(complete(1, 5, 7));
  let out = false;
  const { service } = world.ports;
  world.ports.service = {
    surveys: () => service.surveys(),
    response: (surveyId, responseId) => service.response(surveyId, responseId),
    metrics: (surveyId, responseId) => service.metrics(surveyId, responseId),
    metadata: (surveyId, responseId) => service.metadata(surveyId, responseId),
    definition: (...asked) => service.definition(...asked),
    page: async (_surveyId, page, order) => {
      const { records } = surveyOf(world);
      const ordered = order === "asc" ? records : records.toReversed();
      const shown = structuredClone(ordered.slice((page - 1) * size, page * size));
      if (page > 1 && (out || shown.length === 0)) throw fault();
      return { kind: "page", records: shown };
    },
  };
  await ticks(world, 12);
  for (const response of complete(6, 20, 7)) arrive(world, response);
  out = true;
  await ticks(world, 1);
  expect(world.delivered.filter(({ data }) => data.answers.length < 7)).toEqual([]);
  expect(world.mark(1).books?.listed).toBe(5);
});

it("while it is found out whether records lie apart leave that to be found out again", async () => {
  const world = worldWith(complete(1, 300));
  byQuestion(world);
  let compared = 0;
  let left = 1;
  world.before.push(({ operation, args }) => {
    if (operation === "response") compared += 1;
    // Of the pass over all pages that follows the comparison with operation 9.
    const isPass = operation === "page" && compared > 0 && args[2] === "asc" && args[1] === 1;
    if (left === 0 || !isPass) return;
    left -= 1;
    throw fault();
  });
  await ticks(world, 3);
  expect(left).toBe(0);
  expect(world.delivered.filter(({ data }) => data.answers.length < 2)).toHaveLength(0);
});

it("do not make a full pass read half the list, beyond its allowance and its deadline", async () => {
  const world = worldWith(complete(1, 20_000));
  await passUpTo(world, 300, 20);
  const edge = world.mark(1).pass?.page ?? 0;
  failIf(world, (page) => page >= edge && page <= edge + 2);
  takes(world, 500, ({ operation }) => operation === "page");
  world.calls.length = 0;
  const began = world.time.now + MINUTE;
  await ticks(world, 1, { source: { ...source, backgroundRequests: 2 } });
  expect(world.time.now - began).toBeLessThan(45 * SECOND);
  expect(pagesRead(world).length).toBeLessThan(30);
});

it("of a busy list make few requests, and what is whole goes out", async () => {
  const world = worldWith(complete(1, 200));
  await ticks(world, 2, { source });
  for (const response of complete(201, 400)) arrive(world, response);
  let id = 400;
  world.before.push(({ operation }) => {
    if (operation !== "page") return;
    id += 1;
    for (const response of complete(id, id)) arrive(world, response);
  });
  failIf(world, (page) => page > 1);
  world.calls.length = 0;
  await ticks(world, 1, { source });
  // R5: seven rounds of page 1, page 2 and page 1 again, and a look at the other order.
  expect(pagesRead(world).length).toBeLessThanOrEqual(7 * 3 + 1);
  expect(deliveredIds(world).length).toBeGreaterThan(200);
});

it.each([
  ["its last page is gone, though the last response is not", (world: MemoryWorld) => remove(world, [50, 100])],
  [
    "it holds nothing any more",
    (world: MemoryWorld) => {
      surveyOf(world).records = [];
    },
  ],
])("behind the end keep no full pass from the end of its list where %s", async (_name, shorten) => {
  const world = worldWith(complete(1, 602));
  failIf(world, (number) => number > lastPage(world));
  await passUpTo(world, 9);
  shorten(world);
  surveyOf(world).counts.responses = surveyOf(world).records.length / 2;
  await ticks(world, 60, { source });
  expect(world.mark(1).pass).toBeUndefined();
});

it.each([100, 300])(
  "behind the end keep no catch-up from what is left where only %i of 1,000 responses stay, fewer than its place",
  async (left) => {
    const world = worldWith(complete(1, 1_000));
    failIf(world, (number) => number > lastPage(world));
    let isSlow = true;
    takes(world, 4 * SECOND, ({ operation }) => isSlow && operation === "page");
    await runTick(world, { source, deadline: world.time.now + 70 * SECOND });
    isSlow = false;
    const place = placeOf(world.mark(1))?.page ?? 0;
    remove(world, range(1, 1_000 - left));
    surveyOf(world).counts.responses = left;
    expect(lastPage(world)).toBeLessThan(place - 1);
    arrive(world, { responseId: 1_001, completed: at(1_001 * SECOND) });
    await ticks(world, 10, { source });
    const delivered = new Set(deliveredIds(world));
    expect(range(1_001 - left, 1_001).filter((id) => !delivered.has(id)).length).toBe(0);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
  },
);

// R9
describe.each(["SERVER_ERROR", "UNREADABLE_BODY"])("page 3 of 8 that fails from the first tick on: %s", (code) => {
  const now = { source: { ...source, startFrom: "now" } };
  const ids = range(101, 150);
  const [above, below, undated] = [110, 120, 130];
  /** In no order of completion. */
  const listed = range(1, 400).map((responseId) => ({ responseId, completed: at(-((responseId * 7) % 60) * MINUTE) }));

  type Fails = (page: number, order: string, shown: number[]) => boolean;
  /** A record on the page breaks it, whatever its number. */
  const breaks =
    (broken: number[]): Fails =>
    (_page, _order, shown) =>
      shown.some((id) => broken.includes(id));
  /** The page alone is broken, in asc order. */
  const isThird: Fails = (page, order) => page === 3 && order === "asc";

  async function worldThatFails(fails: Fails = breaks(ids)): Promise<MemoryWorld & { mend: () => void }> {
    const world = worldWith(
      listed.map((one) => {
        if (one.responseId === above) return { ...one, completed: at(10 * MINUTE) };
        if (one.responseId === undated) return { ...one, completed: "0000-00-00 00:00:00", fields: { completed: 1 } };
        return one;
      }),
    );
    world.before.push(({ operation, args }) => {
      if (operation !== "page") return;
      const [, page, order] = args as [number, number, string];
      const { records } = surveyOf(world, Number(args[0]));
      const ordered = order === "asc" ? records : records.toReversed();
      const shown = ordered.slice((page - 1) * 100, page * 100).map((record) => Object(record).responseId);
      if (args[0] === 1 && fails(page, order, shown)) throw Object.assign(new Error("no page"), { code });
    });
    const mend = (): void => void world.before.splice(0);
    return { ...world, mend };
  }

  const ticksOf = async (world: MemoryWorld, count: number) => {
    const outcomes: string[] = [];
    for (const _ of range(1, count)) {
      world.time.now += MINUTE;
      const { surveys } = await runTick(world, now);
      outcomes.push(surveys.find(({ surveyId }) => surveyId === 1)?.outcome ?? "not due");
    }
    return outcomes;
  };

  it("is stepped over by the first reading after three polls, of which each says so; nothing is new of what it has met", async () => {
    const world = await worldThatFails();
    expect(await ticksOf(world, 3)).toEqual(["failed", "failed", "failed"]);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "catch-up" } });
    expect(world.entries(1).length).toBeGreaterThanOrEqual(100);

    await ticksOf(world, 1);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
    expect(world.entries(1).filter(({ id }) => ids.includes(Number(id)))).toEqual([]);
    expect(world.entries(1)).toHaveLength(350);
    expect(deliveredIds(world)).toEqual([]);
  });

  it("keeps no news from going out, and the books stay open and name it as long as it fails", async () => {
    const world = await worldThatFails();
    await ticksOf(world, 20);
    for (const responseId of [401, 402]) {
      arrive(world, { responseId, completed: at(world.time.now - noon) });
      const outcomes = await ticksOf(world, 1);
      expect([responseId, outcomes, deliveredIds(world).at(-1)]).toEqual([responseId, ["polled"], responseId]);
    }
    for (const _ of [1, 2]) {
      await passOf(world);
      expect(world.mark(1)).toMatchObject({ booksOpen: { code: "pages-unreachable", pages: [3] } });
      expect(world.mark(1).books).toBeUndefined();
      expect((world.mark(1).nextPass ?? 0) - world.time.now).toBeLessThanOrEqual(3 * HOUR);
    }
    expect(deliveredIds(world)).toEqual([401, 402]);
  });

  /** One more full pass. */
  const passOf = async (world: MemoryWorld): Promise<void> => {
    const { nextPass } = world.mark(1);
    world.time.now = Math.max(world.time.now, nextPass ?? 0);
    await ticksUntil(world, () => world.mark(1).nextPass !== nextPass && world.mark(1).pass === undefined, now);
  };

  it("shows what it holds to a full pass once it works: each is judged by the start, and the books close", async () => {
    const world = await worldThatFails();
    await ticksOf(world, 20);
    await passOf(world);
    world.mend();
    await passOf(world);

    expect(deliveredIds(world)).toEqual([above]);
    expect(world.entry(1, below)).toMatchObject({ state: "before-floor" });
    expect(world.entry(1, undated)).toMatchObject({ state: "before-floor" });
    expect(closedBooks(world)).toMatchObject({ listed: 400, emitted: 1, held: 0, beforeFloor: 399 });
  });

  it("is forgotten once the books have closed: what is listed from then on is new, whatever its date", async () => {
    const world = await worldThatFails();
    await ticksOf(world, 20);
    world.mend();
    await passOf(world);
    expect(closedBooks(world).listed).toBe(400);
    arrive(world, { responseId: 401, completed: null, fields: { completed: 1 } });
    await ticksOf(world, 2);
    expect(deliveredIds(world)).toEqual([above, 401]);
    expect(world.entry(1, undated)).toMatchObject({ state: "before-floor" });
  });

  it("shows what it holds also to a walk that meets it on another page, by the same rule", async () => {
    const world = await worldThatFails(isThird);
    await ticksOf(world, 20);
    // Page 3 holds others from now on.
    remove(world, range(1, 50));
    await passOf(world);
    expect(deliveredIds(world)).toEqual([above]);
    expect(world.entry(1, below)).toMatchObject({ state: "before-floor" });
    expect(world.mark(1)).toMatchObject({ booksOpen: { code: "pages-unreachable", pages: [3] } });
  });

  it("is not stepped over while the next page fails too: the survey is failing, until the first reading goes on without them", async () => {
    const world = await worldThatFails(breaks(range(101, 200)));
    addSurvey(world, 2, []);
    const outcomes = await ticksOf(world, 8);
    expect(new Set(outcomes)).toEqual(new Set(["failed"]));
    expect(world.mark(1)).toMatchObject({ phase: { kind: "catch-up" } });
    expect(world.mark(1).books).toBeUndefined();
    // A few requests a poll, not the whole list.
    world.calls.length = 0;
    await ticksOf(world, 2);
    expect(pagesRead(world).length).toBeLessThanOrEqual(2 * 13);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
    expect(world.mark(1).booksOpen).toMatchObject({ code: "pages-unreachable" });
    arrive(world, { responseId: 1_000, surveyId: 2, completed: at(world.time.now - noon) });
    await ticksOf(world, 1);
    expect(deliveredIds(world)).toEqual([1_000]);

    world.mend();
    await passOf(world);
    // Of what stood on those pages one is new by its date.
    expect(deliveredIds(world)).toEqual([1_000, 110]);
  });
});
