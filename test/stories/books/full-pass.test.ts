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
  range,
  recordsOf,
  replace,
  runTick,
  surveyOf,
  takes,
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

  it("is not done with a page before all of it has gone out, and counts what completes meanwhile once", async () => {
    const open = range(1, 5);
    const world = worldWith(
      range(1, 500).map((responseId) => ({
        responseId,
        size: 1,
        ...(open.includes(responseId) ? {} : { completed: at(responseId * 1_000) }),
      })),
    );
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    world.time.now = Math.max(world.time.now, world.mark(1).nextPass ?? 0);
    // More late ones in the middle than the time of a slice is enough for.
    const late = range(1_001, 1_045);
    const { records } = surveyOf(world);
    records.splice(250, 0, ...late.flatMap((id) => recordsOf({ responseId: id, completed: at(id * 1_000), size: 1 })));
    let slow = true;
    takes(world, 45_000, ({ operation }) => slow && operation === "metrics");
    await ticksUntil(world, () => (world.mark(1).pass?.page ?? 0) >= 4, { source });
    slow = false;
    expect(deliveredIds(world)).toEqual(expect.arrayContaining(late));
    // The open ones complete, and the list is sorted by completion: the same pass meets them again at its end.
    for (const responseId of open) {
      const index = records.findIndex((record) => (record as { responseId: number }).responseId === responseId);
      records.splice(index, 1);
      records.push(...recordsOf({ responseId, completed: at(3 * HOUR), size: 1 }));
    }
    await ticksUntil(world, () => world.mark(1).pass === undefined, { source });
    expect(deliveredIds(world)).toHaveLength(545);
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), listed: 545, emitted: 545 });
  });

  it("counts those that wait for their metrics as waiting", async () => {
    const world = worldWith(listed);
    surveyOf(world).metrics.set(3, { kind: "absent" }).set(4, { kind: "absent" });
    await runTick(world, { source: { ...source, absentAfter: 100 * DAY } });
    await fullPass(world, { source: { ...source, absentAfter: 100 * DAY } });
    expect(closedBooks(world)).toMatchObject({ listed: 170, emitted: 168, waiting: 2 });
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

  it("counts those that are no longer as they were emitted, and replaces their events", async () => {
    const world = worldWith(listed);
    await runTick(world, { source });
    // 34 stands across the edge of page 1.
    for (const responseId of [34, 101]) {
      replace(world, { responseId, completed: at(0), size: 3, fields: { comment: "edited" } });
    }
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 170, emitted: 170, changed: 2, repaired: 0 });
    expect(deliveredIds(world).slice(170).sort()).toEqual([101, 34]);
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

  it("does not replace an event by one without the metrics that it had, before these were absent a few times", async () => {
    const world = worldWith(listed);
    await runTick(world, { source });
    replace(world, { responseId: 80, completed: at(-80_000), size: 5 });
    surveyOf(world).metrics.set(80, { kind: "absent" });
    await fullPass(world);
    await fullPass(world);
    expect(world.delivered).toHaveLength(170);
    await fullPass(world);
    expect(world.delivered.at(-1)?.meta).toMatchObject({ revision: 2, missing: ["metrics:absent"] });
  });

  it("counts its closed passes in a row, and begins anew after one that could not close", async () => {
    const world = worldWith(listed);
    await runTick(world, { source });
    const first = closedBooks(world).passes;
    await fullPass(world);
    await fullPass(world);
    expect(closedBooks(world).passes).toBe(first + 2);
    const before = closedBooks(world);
    const empty = surveyOf(world).records;
    surveyOf(world).records = [];
    await fullPass(world);
    expect(world.mark(1).booksOpen).toBeDefined();
    surveyOf(world).records = empty;
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ passes: 1, listed: before.listed });
  });

  it("leaves nothing in the vault but the ids of the last pass, also with more of them than fit the mark", async () => {
    const world = worldWith(range(1, 400).map((id) => ({ responseId: id * 1_000, completed: at(0) })));
    await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
    await fullPass(world);
    await fullPass(world);
    expect(closedBooks(world)).toMatchObject({ listed: 400, emitted: 400, gone: 0 });
    const kept = world.mark(1).listedIds;
    expect([...world.objects.keys()]).toEqual(kept !== undefined && "key" in kept ? [kept.key] : ["no key"]);
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

// R29
it("polls of the head that read the list as empty for some minutes close no books", async () => {
  const world = worldWith(range(1, 30).map((responseId) => ({ responseId, completed: at(-HOUR) })));
  await runTick(world, { source });
  const before = closedBooks(world);
  const all = surveyOf(world).records;
  surveyOf(world).records = [];
  world.calls.length = 0;
  // The survey list still counts 30.
  const polled = { ...source, fullPoll: { every: 60_000 } };
  await ticksUntil(world, () => readsOf(world, "desc").length >= 10, { source: polled });
  expect(world.mark(1).books).toEqual(before);
  surveyOf(world).records = all;
  await fullPass(world);
  expect(closedBooks(world)).toMatchObject({ listed: 30, emitted: 30, gone: 0 });
  expect(deliveredIds(world)).toHaveLength(30);
});

// R7, R26
it.each<[string, (records: Record<string, number>[]) => unknown]>([
  ["is in another order by now", (records) => records.sort((a, b) => hashOf(a) - hashOf(b))],
  [
    "tells nobody's id by now",
    (records) => records.map((record, i) => ({ ...record, responseId: null, questionId: i })),
  ],
])("a slice that finds its place no more, as the list %s, ends in time", async (_how, change) => {
  const world = worldWith(range(1, 10_000).map((responseId) => ({ responseId, completed: at(-responseId * 1_000) })));
  await runTick(world, { source, deadline: Number.POSITIVE_INFINITY });
  world.time.now = world.mark(1).nextPass ?? 0;
  const fast = { ...source, backgroundRequests: 20 };
  await ticksUntil(world, () => (world.mark(1).pass?.page ?? 0) >= 100, { source: fast });
  const survey = surveyOf(world);
  survey.records = change(survey.records as Record<string, number>[]) as unknown[];
  takes(world, 500, ({ operation }) => operation === "page");
  let longest = 0;
  for (let i = 0; i < 15; i += 1) {
    world.time.now += 60_000;
    const began = world.time.now;
    await runTick(world, { source: { ...source, backgroundRequests: 2 } });
    longest = Math.max(longest, world.time.now - began);
  }
  expect(longest).toBeGreaterThan(0);
  // A tick has 40 s for its work.
  expect(longest).toBeLessThan(45_000);
});

const hashOf = ({ responseId = 0 }: Record<string, number>): number => (responseId * 7_919) % 10_007;
