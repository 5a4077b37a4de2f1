import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type MemoryWorld, memoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  letTimePass,
  MINUTE,
  noon,
  pagesRead,
  type ResponseSpec,
  range,
  recordsOf,
  replace,
  runTick,
  SECOND,
  sorted,
  sortedIds,
  surveyOf,
  type TickOverrides,
  takes,
  worldWith,
} from "../../support/survey.ts";

// R15

const now = { startFrom: "now", concurrency: 4 } as const;

/** Completed hourly, the newest one an hour before noon. */
function hourly(count: number, size = 2): ResponseSpec[] {
  return range(1, count).map((responseId) => ({ responseId, completed: at((responseId - count - 1) * HOUR), size }));
}

/** Ticks a minute apart. */
async function ticks(world: MemoryWorld, count: number, source: TickOverrides["source"] = now): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const began = world.time.now;
    await letTimePass(world, runTick(world, { source }));
    world.time.now = Math.max(world.time.now, began + MINUTE);
  }
}

const told = (world: MemoryWorld, kind: string) => world.progress.filter((one) => one.kind === kind);

describe('startFrom "now"', () => {
  it("emits nothing of what was complete, and everything that completes afterwards", async () => {
    const world = worldWith(hourly(30, 10));
    await ticks(world, 1);
    expect(deliveredIds(world)).toEqual([]);
    expect(world.account.start).toEqual({ from: "now", at: at(-HOUR) });
    expect(told(world, "start")).toEqual([{ kind: "start", from: "now", at: at(-HOUR) }]);
    // History has items, too.
    expect(range(1, 30).map((id) => world.entry(1, id)?.state)).toEqual(range(1, 30).map(() => "before-floor"));
    expect(world.mark(1).books).toMatchObject({ listed: 30, beforeFloor: 30 });

    arrive(world, { responseId: 31, completed: at(MINUTE) });
    await ticks(world, 1);
    expect(deliveredIds(world)).toEqual([31]);
  });

  it("is the newest credible date, not one from the future, a null or an impossible one", async () => {
    const world = worldWith([
      ...hourly(3),
      { responseId: 4, completed: at(27 * HOUR) },
      { responseId: 5, completed: null },
      { responseId: 6, completed: "2026-02-30 10:00:00" },
      { responseId: 7, completed: "" },
    ]);
    await ticks(world, 1);
    expect(world.account.start?.at).toBe(at(-HOUR));
    expect(deliveredIds(world)).toEqual([]);
  });

  it.each([
    [undefined, 25 * HOUR],
    ["UTC", 4 * MINUTE],
  ])("with the time zone %s takes no date that is too far ahead", async (timeZone, furthest) => {
    const world = worldWith([
      { responseId: 1, completed: at(furthest) },
      { responseId: 2, completed: at(furthest + 2 * HOUR) },
    ]);
    await ticks(world, 1, { ...now, timeZone });
    expect(world.account.start?.at).toBe(at(furthest));
  });

  it("looks at the oldest page, too, where the newest is full, and behind a burst of open ones", async () => {
    const open = range(1, 120).map((responseId) => ({ responseId, size: 3 }));
    const world = worldWith([...open, { responseId: 121, completed: at(-HOUR) }, ...open.map(later(200))]);
    await ticks(world, 1);
    expect(world.account.start?.at).toBe(at(-HOUR));
    expect(pagesRead(world).slice(0, 5)).toEqual(["desc/1", "asc/1", "desc/2", "desc/3", "desc/4"]);
    // News first.
    const first = worldWith([{ responseId: 1, completed: at(-SECOND), size: 90 }, ...hourly(60).map(later(1))]);
    await ticks(first, 1);
    expect(first.account.start?.at).toBe(at(-SECOND));
  });

  it("is as of the beginning of the first tick, however long that takes", async () => {
    const world = worldWith(hourly(40, 10));
    let reads = 0;
    world.after.push(({ operation }) => {
      if (operation !== "page") return;
      reads += 1;
      if (reads === 4) arrive(world, { responseId: 41, completed: at(10 * SECOND) });
    });
    takes(world, 5 * SECOND, ({ operation }) => operation === "page");
    await ticks(world, 4);
    expect(reads).toBeGreaterThan(4);
    expect(deliveredIds(world)).toEqual([41]);
  });

  it("is none where nothing has completed anywhere: then whatever completes is new", async () => {
    const world = worldWith([{ responseId: 1 }]);
    world.before.push(({ operation, args }) => {
      // Nothing is believed before a second look.
      if (operation === "acquire" && args[0] === 1) expect(world.time.now).toBeGreaterThanOrEqual(noon + 5 * SECOND);
    });
    await ticks(world, 1);
    expect(world.account.start).toEqual({ from: "now", at: null });
    replace(world, { responseId: 1, completed: at(-9 * HOUR) });
    arrive(world, { responseId: 2, completed: "not a date" });
    await ticks(world, 1);
    expect(sortedIds(world)).toEqual([1, 2]);
  });

  it("is one date for all surveys: a survey that could not be read in the first tick loses nothing", async () => {
    const world = memoryWorld(noon);
    addSurvey(world, 1, hourly(8));
    addSurvey(world, 2, hourly(8).map(later(200)), { counts: { responses: 0, correct: 0, unpaidResponses: 0 } });
    world.before.push(({ operation, args }) => {
      if (operation === "page" && args[0] === 2) throw Object.assign(new Error("down"), { code: "SERVER_ERROR" });
    });
    await ticks(world, 1);
    arrive(world, { surveyId: 2, responseId: 211, completed: at(30 * MINUTE) });
    world.before.length = 0;
    world.time.now += 5 * HOUR;
    await ticks(world, 2);
    expect(deliveredIds(world)).toEqual([211]);
  });
});

function later(by: number): (response: ResponseSpec) => ResponseSpec {
  return (response) => ({ ...response, responseId: response.responseId + by });
}

describe("a survey that counts responses and shows none", () => {
  /** Survey 1 has a history; survey 2 counts one that was only started. */
  function worldWithOneStarted(): MemoryWorld {
    const world = worldWith(hourly(3));
    addSurvey(world, 2, [], { counts: { responses: 1, correct: 0, unpaidResponses: 0 } });
    return world;
  }

  it("is looked at by three ticks, then left out, and told: nothing waits any longer for it", async () => {
    const world = worldWithOneStarted();
    await ticks(world, 2);
    expect(told(world, "start awaited")).toEqual([
      { kind: "start awaited", ticks: 1, unanswered: [2] },
      { kind: "start awaited", ticks: 2, unanswered: [2] },
    ]);
    expect(world.account.start).toBeUndefined();
    expect([world.entries(1), world.account.rows.size]).toEqual([[], 0]);

    await ticks(world, 1);
    expect(world.account.start).toEqual({ from: "now", at: at(-HOUR), leftOut: [2] });
    expect(told(world, "start")).toMatchObject([{ leftOut: [2] }]);
    arrive(world, { surveyId: 2, responseId: 21, completed: at(3 * MINUTE) });
    await ticks(world, 2);
    expect(deliveredIds(world)).toEqual([21]);
  });
});

describe("the start stands", () => {
  it("from the moment on at which it is known, whatever happens to the first tick", async () => {
    const world = worldWith(hourly(10));
    world.ports.clock = { now: world.ports.clock.now, every: () => () => undefined };
    let dead = false;
    world.before.push(async ({ operation }) => {
      dead ||= operation === "acquire";
      if (dead) await new Promise(() => {});
    });
    void runTick(world, { source: now, owner: "killed" });
    while (!dead) await setImmediate();
    world.before.length = 0;
    arrive(world, { responseId: 11, completed: at(MINUTE) });
    world.time.now += 5 * MINUTE;
    await runTick(world, { source: now, owner: "later" });
    expect(deliveredIds(world)).toEqual([11]);
  });

  it("as the first of two ticks has stored it", async () => {
    const world = worldWith(hourly(3));
    world.before.push(({ operation, args }) => {
      const { start } = (operation === "saveAccount" ? args[0] : {}) as { start?: object };
      if (start !== undefined) world.account.start ??= { from: "now", at: at(-2 * HOUR) };
    });
    await ticks(world, 1);
    expect(deliveredIds(world)).toEqual([3]);
  });

  it.each(["beginning", "2026-03-01"])("and is refused as %s later, with a hint at backfill", async (startFrom) => {
    const world = worldWith(hourly(3));
    await ticks(world, 1);
    await expect(runTick(world, { source: { startFrom } })).rejects.toMatchObject({
      code: "STATE_REFUSED",
      message: 'source "main" has begun with startFrom "now"',
      hint: expect.stringContaining("backfill"),
    });
    expect(deliveredIds(world)).toEqual([]);
  });
});

describe("before the first books of a survey the start decides", () => {
  /** 400 responses of 10 records, forty pages, in no order of completion. */
  const scattered = range(1, 400).map((responseId) => ({
    responseId,
    completed: at(-(((responseId * 149) % 400) + 1) * MINUTE),
    size: 10,
  }));

  it("also where the first reading takes many slices: what is dated after it goes out, and nothing else", async () => {
    const world = worldWith(scattered);
    takes(world, SECOND, ({ operation }) => operation === "page");
    const start = newestOf([...scattered.slice(0, 10), ...scattered.slice(-10)]);
    for (let i = 0; i < 12; i += 1) {
      await runTick(world, { source: now, deadline: world.time.now + 12 * SECOND });
      world.time.now += MINUTE;
    }
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
    expect(world.account.start?.at).toBe(start);
    const after = scattered.filter(({ completed }) => completed > start).map(({ responseId }) => responseId);
    expect(sortedIds(world)).toEqual(sorted(after));
  });

  it("and what it met open is new when it completes, whatever its date", async () => {
    const world = worldWith([...hourly(3), { responseId: 4 }]);
    await ticks(world, 1);
    replace(world, { responseId: 4, completed: at(-9 * HOUR) });
    surveyOf(world).counts.correct = 1;
    await ticks(world, 1);
    expect(deliveredIds(world)).toEqual([4]);
  });
});

function newestOf(responses: { completed: string }[]): string {
  return responses
    .map(({ completed }) => completed)
    .sort()
    .at(-1) as string;
}

describe("after the first books", () => {
  it("what has no item is new, whatever its date: the books decide", async () => {
    const world = worldWith(hourly(10));
    await ticks(world, 1);
    expect(world.mark(1).books).toBeDefined();
    arrive(world, { responseId: 11, completed: at(-400 * 24 * HOUR) });
    arrive(world, { responseId: 12, completed: null });
    await ticks(world, 1);
    expect(sortedIds(world)).toEqual([11, 12]);
  });

  it("that no empty list has closed: not before the third one in a row, where nothing says that it is empty", async () => {
    const world = worldWith([], { counts: { responses: null, correct: null, unpaidResponses: null } });
    addSurvey(world, 2, hourly(3));
    await ticks(world, 1);
    expect(world.mark(1).books).toBeUndefined();
    surveyOf(world).records.push(...recordsOf({ responseId: 101, completed: at(-5 * HOUR) }));
    await ticks(world, 2);
    expect(deliveredIds(world)).toEqual([]);
    expect(world.entry(1, 101)?.state).toBe("before-floor");
  });
});

describe("other beginnings", () => {
  it("a date takes the responses completed at its first second and later", async () => {
    const midnight = -12 * HOUR;
    const world = worldWith([
      { responseId: 1, completed: at(midnight - HOUR) },
      { responseId: 2, completed: at(midnight - SECOND) },
      { responseId: 3, completed: at(midnight) },
      { responseId: 4, completed: at(midnight + HOUR) },
    ]);
    await ticks(world, 1, { startFrom: "2026-03-10" });
    expect(deliveredIds(world)).toEqual([3, 4]);
    expect(world.entry(1, 2)?.state).toBe("before-floor");
  });

  it("the beginning takes all of them, whatever their dates", async () => {
    const world = worldWith([...hourly(3), { responseId: 4, completed: null }, { responseId: 5, completed: "soon" }]);
    await ticks(world, 1, { startFrom: "beginning" });
    expect(sortedIds(world)).toEqual([1, 2, 3, 4, 5]);
    expect(world.mark(1).books).toMatchObject({ listed: 5, emitted: 5, beforeFloor: 0 });
  });
});
