import { describe, expect, it } from "vitest";
import {
  closedBooks,
  DAY,
  fullPass,
  fullPassesOnly,
  readsOf,
  remove,
  ticksUntil,
  truthOf,
} from "../../support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  replace,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const source = fullPassesOnly;
/** 170 responses of 3 records each: five pages and a half, with responses across their edges. */
const listed = range(1, 170).map((responseId) => ({ responseId, completed: at(-responseId * 1_000), size: 3 }));
/** 600 of them: 18 pages, more than one slice. */
const many = range(1, 600).map((responseId) => ({ responseId, completed: at(-responseId * 1_000), size: 3 }));

describe("a full pass in slices, paid for with one request a tick", () => {
  // R5, R23: each page is read twice. Each slice has four pages at least, and reads two or three more to find its place again.
  it("comes to its end at about one request a tick, and about two for each page", async () => {
    const world = worldWith(many);
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    world.time.now = world.mark(1).nextPass ?? 0;
    world.calls.length = 0;
    const slices: number[] = [];
    let before = 0;
    const { startedAt } = closedBooks(world);
    const ticks = await ticksUntil(
      world,
      () => {
        const reads = readsOf(world, "asc").length + readsOf(world, "desc").length;
        if (reads > before) slices.push(reads - before);
        before = reads;
        return closedBooks(world).startedAt !== startedAt;
      },
      { source },
    );
    expect(slices.length).toBeGreaterThan(1);
    expect(before).toBeLessThanOrEqual(2 * 18 + 6 * slices.length);
    // What the last slice has overdrawn is worked off behind it.
    expect(before).toBeLessThanOrEqual(ticks + (slices.at(-1) ?? 0) + 1);
    expect(closedBooks(world)).toMatchObject(truthOf(world));
  });

  it("closes the books with the figures of the truth, whatever states its responses are in", async () => {
    const world = worldWith(
      [
        ...listed.map((one) => (one.responseId % 2 === 0 ? one : { ...one, completed: at(-one.responseId * HOUR) })),
        ...range(201, 220).map((responseId) => ({ responseId })),
        ...range(221, 225).map((responseId) => ({
          responseId,
          completed: at(0),
          fields: { completed: "perhaps" },
        })),
      ],
      { counts: { responses: 300, correct: 0, unpaidResponses: 0 } },
    );
    await runTick(world, { source: { ...source, startFrom: "2026-03-10" } });
    await fullPass(world, { source: { ...source, startFrom: "2026-03-10" } });

    const { emitted, beforeFloor, open, quarantined, ...books } = closedBooks(world);
    expect({ emitted, beforeFloor, open, quarantined, ...books }).toMatchObject(truthOf(world));
    expect(emitted + beforeFloor + open + quarantined).toBe(195);
    for (const count of [emitted, beforeFloor]) expect(count).toBeGreaterThan(20);
    expect([open, quarantined, books.waiting, books.deficit]).toEqual([20, 5, 0, 105]);
  });

  it("finds what every other walk has missed, wherever it stands, and says so", async () => {
    const world = worldWith(listed);
    await runTick(world, { source });
    const survey = surveyOf(world);
    survey.records.splice(3 * 80, 0, ...recordsOf({ responseId: 900, completed: at(-HOUR), size: 3 }));
    survey.records.unshift(...recordsOf({ responseId: 901, completed: at(-2 * HOUR), size: 250 }));
    await fullPass(world);

    expect(deliveredIds(world).slice(170).sort()).toEqual([900, 901]);
    const late = world.delivered.slice(170);
    expect(late.map(({ meta, data }) => [data.responseId, meta.origin, data.answers.length])).toEqual([
      [901, "full-pass", 250],
      [900, "full-pass", 3],
    ]);
    expect(closedBooks(world)).toMatchObject({ listed: 172, emitted: 172, found: 2 });
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 172, emitted: 172, found: 0 });
    expect(deliveredIds(world)).toHaveLength(172);
  });

  it("counts those gone since earlier passes, and those that came back no more", async () => {
    const world = worldWith(listed);
    await runTick(world, { source });
    await fullPass(world);
    const all = surveyOf(world).records;
    remove(world, range(20, 29));
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 160, emitted: 160, gone: 10, deficit: 10 });
    surveyOf(world).records = all;
    remove(world, [20]);
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 169, gone: 1 });
    expect(deliveredIds(world)).toHaveLength(170);
  });

  it("replaces an event that was short, and counts it as repaired", async () => {
    const world = worldWith(listed);
    await runTick(world, { source });
    const first = world.delivered.find(({ data }) => data.responseId === 80);
    replace(world, { responseId: 80, completed: at(-80_000), size: 5 });
    await fullPass(world);
    const second = world.delivered.at(-1);
    expect(second?.data).toMatchObject({ responseId: 80, answers: { length: 5 } });
    expect(second?.meta).toMatchObject({ revision: 2, replaces: first?.meta.eventId, origin: "full-pass" });
    expect(closedBooks(world)).toMatchObject({ repaired: 1, changed: 0, emitted: 170 });
  });
});

describe("the next full pass", () => {
  it("begins when its time has come, counted from the beginning of this one", async () => {
    const world = worldWith(many);
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    await fullPass(world);
    const { startedAt, closedAt } = closedBooks(world);
    expect(closedAt).toBeGreaterThan(startedAt);
    expect(world.mark(1).nextPass).toBe(startedAt + DAY);
    world.calls.length = 0;
    await ticksUntil(world, () => world.time.now > startedAt + DAY - 120_000, { source }, 2_000);
    expect(readsOf(world, "asc")).toEqual([]);
  });
});

it("news that come during a full pass go out at the tick that lists them, and are in its books", async () => {
  const world = worldWith(many);
  await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
  let tick = 0;
  await fullPass(world, {
    source,
    between: () => {
      tick += 1;
      if (tick > 1 && tick <= 4) {
        expect(deliveredIds(world)).toHaveLength(600 + tick - 2);
        arrive(world, { responseId: 700 + tick, completed: at(tick * 60_000), size: 3 });
      }
    },
  });
  expect(deliveredIds(world).slice(600)).toEqual([702, 703, 704]);
  expect(world.delivered.slice(600).map(({ meta }) => meta.origin)).toEqual(["head", "head", "head"]);
  expect(closedBooks(world)).toMatchObject({ listed: 603, emitted: 603, found: 0 });
});

// R8, R29
it("books are closed by an end that was seen, not by a short page that is taken for the last", async () => {
  const world = worldWith(range(1, 30).map((responseId) => ({ responseId, completed: at(-HOUR) })));
  // The head is read every minute.
  const polled = { ...source, fullPoll: { every: 60_000 } };
  for (let i = 0; i < 3; i += 1) await fullPass(world);
  expect(world.account.shortPageEnds).toBe(true);
  expect(closedBooks(world).listed).toBe(30);
  const { closedAt } = closedBooks(world);

  // From now on the service gives 40 records a page, and the oldest response stands alone on the last one.
  const { service } = world.ports;
  service.page = async (surveyId, page, order) => {
    world.calls.push({ port: "service", operation: "page", args: [surveyId, page, order] });
    const { records } = surveyOf(world, surveyId);
    const ordered = order === "asc" ? records : records.toReversed();
    return { kind: "page", records: structuredClone(ordered.slice((page - 1) * 40, page * 40)) };
  };
  surveyOf(world).records.unshift(...recordsOf({ responseId: 31, completed: at(0) }));
  world.calls.length = 0;
  await ticksUntil(world, () => readsOf(world, "desc").length >= 3, { source: polled });
  expect(new Set(readsOf(world, "desc").map(({ args }) => args[1]))).toEqual(new Set([1]));
  expect(closedBooks(world).closedAt).toBe(closedAt);

  await fullPass(world);
  expect(deliveredIds(world).at(-1)).toBe(31);
  expect(closedBooks(world)).toMatchObject({ listed: 31, emitted: 31, found: 1 });
  expect(world.account.shortPageEnds).toBe(false);
});

// R7: nothing but the position and the ids that were met is kept between two slices.
// R10
it("a full pass over a long list in small slices adds nothing to the mark with each of them", async () => {
  // 60 pages of one response each, 100 records.
  const world = worldWith(
    range(1, 60).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 100 })),
  );
  for (const _ of range(1, 4)) {
    world.time.now += MINUTE;
    await runTick(world, { source: { ...source, backgroundRequests: 500 } });
  }
  expect(world.mark(1).books).toMatchObject({ emitted: 60 });
  world.time.now += DAY;
  const sizes = new Map<number, number>();
  for (const _ of range(1, 200)) {
    world.time.now += MINUTE;
    await runTick(world, { source });
    const mark = world.mark(1);
    if (mark.pass !== undefined) sizes.set(mark.pass.page, JSON.stringify({ ...mark, listedIds: undefined }).length);
  }
  const pages = [...sizes.keys()].sort((a, b) => a - b);
  const [first = 0, last = 0] = [pages[0], pages.at(-1)];
  expect(pages.length).toBeGreaterThan(4);
  expect(last - first).toBeGreaterThan(30);
  // An id takes about two bytes.
  expect((sizes.get(last) ?? 0) - (sizes.get(first) ?? 0)).toBeLessThan(100);
});
