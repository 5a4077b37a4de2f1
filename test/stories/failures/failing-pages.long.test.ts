import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, newsOnly, fullPassesOnly as source, ticksUntil } from "../../support/slow.ts";
import {
  addSurvey,
  arrive,
  at,
  complete,
  deliveredIds,
  HOUR,
  MINUTE,
  noon,
  pagesRead,
  range,
  runTick,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

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

// R9
describe("a page that is stepped over is tried again by itself", () => {
  // R9: a page that is stepped over is tried again by itself.

  /** No slow work at all: what is read is read as news. */
  const source = { ...newsOnly, backgroundRequests: 0 };

  /** 160 responses on 8 pages, 20 on each. */
  const listed = complete(1, 160, 5);

  /** The service fails to show these pages of 8, in either order, as long as `fails` says so. */
  function failing(world: MemoryWorld, pages: number[], fails: () => boolean): void {
    world.before.push(({ operation, args }) => {
      const page = args[2] === "asc" ? Number(args[1]) : 9 - Number(args[1]);
      if (operation !== "page" || !pages.includes(page) || !fails()) return;
      throw Object.assign(new Error("no page"), { code: "SERVER_ERROR" });
    });
  }

  async function ticks(world: MemoryWorld, count: number): Promise<void> {
    for (const _ of range(1, count)) {
      await runTick(world, { source });
      world.time.now += MINUTE;
    }
  }

  it("page 3 of 8, which fails for the first twenty minutes, is out within the next ten", async () => {
    const world = worldWith(listed);
    const mends = world.time.now + 20 * MINUTE;
    failing(world, [3], () => world.time.now < mends);
    await ticks(world, 20);
    expect(deliveredIds(world)).toHaveLength(140);
    await ticks(world, 10);
    expect(new Set(deliveredIds(world))).toEqual(new Set(range(1, 160)));
    expect(deliveredIds(world)).toHaveLength(160);
    expect(closedBooks(world)).toMatchObject({ listed: 160, emitted: 160 });
    expect(world.mark(1).failing?.asc).toBeUndefined();
  });

  it("as long as it fails it costs a request now and then, at last one an hour", async () => {
    const world = worldWith(listed);
    failing(world, [3], () => true);
    await ticks(world, 24 * 60);
    world.calls.length = 0;
    await ticks(world, 6 * 60);
    expect(pagesRead(world).filter((page) => page === "asc/3")).toHaveLength(6);
    // The same page of the other order, and the head at each of these tries.
    expect(pagesRead(world).length).toBeLessThanOrEqual(6 * 4);
  });
});
