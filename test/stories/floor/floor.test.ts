import { describe, expect, it } from "vitest";
import { isHistoryMet, placeOf } from "../../../lib/polling/model/phase.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  letTimePass,
  MINUTE,
  poll,
  polled,
  type ResponseSpec,
  range,
  replace,
  SECOND,
  surveyOf,
  takes,
  worldWith,
} from "../../support/survey.ts";

const now = { source: { startFrom: "now" } };

/** Completed hourly, the newest one an hour before noon. */
function hourly(count: number, size = 2): ResponseSpec[] {
  return range(1, count).map((responseId) => ({ responseId, completed: at((responseId - count - 1) * HOUR), size }));
}

// R15
describe("startFrom: now", () => {
  it("emits nothing of what was complete, and everything that completes afterwards", async () => {
    const world = worldWith(hourly(10));

    await poll(world, now);
    expect(deliveredIds(world)).toEqual([]);

    arrive(world, { responseId: 11, completed: at(MINUTE) });
    await poll(world, now);
    expect(deliveredIds(world)).toEqual([11]);
  });

  it("sets the floor at the newest credible date, not at one from the future, a null or an impossible one", async () => {
    const world = worldWith([
      ...hourly(3),
      { responseId: 4, completed: at(27 * HOUR) },
      { responseId: 5, completed: null },
      { responseId: 6, completed: "2026-02-30 10:00:00" },
      { responseId: 7, completed: "" },
    ]);

    await poll(world, now);

    expect(world.mark(1).floor).toEqual({ at: at(-HOUR), inclusive: false });
    expect(deliveredIds(world)).toEqual([]);
  });

  it("does not take a list for sorted by completion that may as well be sorted by start", async () => {
    // Three responses a page; one that began long before them was the last to complete.
    const world = worldWith(
      range(1, 40).map((responseId) => ({
        responseId,
        size: 30,
        completed: responseId === 20 ? at(-SECOND) : at((responseId - 41) * MINUTE),
        fields: { dateStart: at((responseId - 41) * MINUTE - HOUR) },
      })),
    );
    await poll(world, { ...now, deadline: Number.POSITIVE_INFINITY });
    await poll(world, { ...now, deadline: Number.POSITIVE_INFINITY });
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" }, floor: { at: at(-SECOND) } });
    expect(deliveredIds(world)).toEqual([]);
  });

  // R8: the page before an end is looked at once more where it matters.
  it.each([2, 3, 4, 5, 6])(
    "is not done with a list that is gone from read %i on, before all within the margin was met",
    async (last) => {
      // 400 records of the last 34 minutes, sorted by completion, and not by start.
      const dates = (id: number) => at((id - 201) * 10 * SECOND);
      const started = (id: number) => at((id - 201) * 10 * SECOND - ((id * 7_919) % 101) * HOUR);
      const world = worldWith(
        range(1, 200).map((responseId) => ({
          responseId,
          completed: dates(responseId),
          fields: { dateStart: started(responseId) },
        })),
      );
      const { records } = surveyOf(world);
      let reads = 0;
      world.after.push(({ operation }) => {
        if (operation === "page") reads += 1;
        if (reads === last) surveyOf(world).records = [];
      });
      const counted = { ...now, listedCount: 200 };
      await poll(world, counted);
      expect(isHistoryMet(world.mark(1))).toBe(false);
      reads = 100;
      surveyOf(world).records = records;
      await poll(world, counted);
      await poll(world, counted);
      expect(isHistoryMet(world.mark(1))).toBe(true);
      expect(deliveredIds(world)).toEqual([]);
      arrive(world, { responseId: 201, completed: at(MINUTE) });
      await poll(world, counted);
      expect(deliveredIds(world)).toEqual([201]);
    },
  );

  it("tells what was there within the margin of 3 h from what came later by its id, not by its date", async () => {
    const world = worldWith(hourly(10));
    await poll(world, now);

    // All three say that they completed before the floor, an hour before noon.
    arrive(world, { responseId: 11, completed: at(-HOUR) });
    arrive(world, { responseId: 12, completed: at(-4 * HOUR) });
    arrive(world, { responseId: 13, completed: at(-4 * HOUR - SECOND) });
    await poll(world, now);

    expect(deliveredIds(world)).toEqual([12, 11]);
    expect(world.entry(1, 10)?.state).toBe("before-floor");
    expect(world.entry(1, 5)).toBeUndefined();
  });

  it("emits a response that was open then, also when its date of completion lies before the floor", async () => {
    const world = worldWith([...hourly(3), { responseId: 4 }]);
    await poll(world, now);
    expect(world.entry(1, 4)?.state).toBe("open");

    replace(world, { responseId: 4, completed: at(-9 * HOUR) });
    await poll(world, now);

    expect(deliveredIds(world)).toEqual([4]);
  });

  it("has no floor while nothing is complete: then whatever completes is new", async () => {
    const world = worldWith([{ responseId: 1 }]);
    await poll(world, now);

    replace(world, { responseId: 1, completed: at(-9 * HOUR) });
    arrive(world, { responseId: 2, completed: "not a date" });
    arrive(world, { responseId: 3, completed: at(-9 * HOUR) });
    await poll(world, now);

    expect(deliveredIds(world).sort()).toEqual([1, 2, 3]);
  });

  it("never sets the floor above the source's own: a survey polled late loses nothing", async () => {
    const world = worldWith(hourly(10));

    await poll(world, { ...now, sourceFloor: at(-3 * HOUR - MINUTE), firstTick: world.time.now - MINUTE });

    expect(deliveredIds(world)).toEqual([8, 9, 10]);
  });

  it("is not fooled by a list that is empty for a moment although the counts say otherwise", async () => {
    const world = worldWith(hourly(10));
    const { records } = surveyOf(world);
    surveyOf(world).records = [];
    const first = await letTimePass(world, polled(world, { ...now, listedCount: 10 }));
    expect(first.dueAt).toBeLessThanOrEqual(world.time.now);

    surveyOf(world).records = records;
    await poll(world, { ...now, listedCount: 10 });
    expect(deliveredIds(world)).toEqual([]);

    arrive(world, { responseId: 11, completed: at(MINUTE) });
    await poll(world, { ...now, listedCount: 11 });
    expect(deliveredIds(world)).toEqual([11]);
  });

  it("keeps the floor that it set first, whatever interrupts the first pass", async () => {
    const world = worldWith(hourly(10));
    world.before.push(({ operation }) => {
      if (operation === "putEntries") throw new Error("the table is throttled");
    });
    await expect(poll(world, now)).rejects.toThrow("throttled");
    arrive(world, { responseId: 11, completed: at(MINUTE) });

    world.before.length = 0;
    await poll(world, now);

    expect(deliveredIds(world)).toEqual([11]);
  });

  it("reaches no further back than its first tick, when that read nothing: half a day for the zones", async () => {
    const world = worldWith(hourly(30));

    await poll(world, { ...now, sourceFloor: undefined, firstTick: world.time.now - MINUTE });

    // The first one completed twelve hours ago; more than that no zone could make of the time since.
    expect(deliveredIds(world)).toEqual(range(19, 30));
  });

  it("emits nothing older either when only open responses stand at both ends of the list", async () => {
    const open = (from: number, to: number): ResponseSpec[] => range(from, to).map((responseId) => ({ responseId }));
    const complete = range(61, 80).map((responseId) => ({ responseId, completed: at(-responseId * HOUR) }));
    const world = worldWith([...open(1, 60), ...complete, ...open(81, 140)]);

    await poll(world, now);
    expect(deliveredIds(world)).toEqual([]);

    arrive(world, { responseId: 141, completed: at(MINUTE) });
    await poll(world, now);
    expect(deliveredIds(world)).toEqual([141]);
  });
});

describe("startFrom: now, in a list that is not ordered by completion", () => {
  /** 400 responses of 2 records, eight pages, their dates scattered over 400 minutes. */
  const scattered = range(1, 400).map((responseId) => ({
    responseId,
    completed: at(-(((responseId * 149) % 400) + 1) * MINUTE),
  }));

  it("reads every page once before anything may go out, and emits what comes later", async () => {
    const world = worldWith(scattered);

    await poll(world, now);
    expect(deliveredIds(world)).toEqual([]);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" }, floor: { at: at(-MINUTE) } });

    arrive(world, { responseId: 401, completed: at(MINUTE) });
    arrive(world, { responseId: 402, completed: at(-100 * MINUTE) });
    await poll(world, now);
    expect(deliveredIds(world)).toEqual([402, 401]);
  });

  it("goes on where it stopped when its time ran out, and then too emits nothing of before", async () => {
    const world = worldWith(scattered);
    takes(world, 15 * SECOND, ({ port }) => port === "service");

    let polls = 0;
    do {
      await polled(world, now);
      polls += 1;
    } while (placeOf(world.mark(1)) !== undefined && polls < 20);

    expect(polls).toBeGreaterThan(2);
    expect(polls).toBeLessThan(20);
    expect(isHistoryMet(world.mark(1))).toBe(true);
    expect(deliveredIds(world)).toEqual([]);
  });

  it.each([150, 250, 350, 600])(
    "emits nothing of before where %i records go at one moment from before the page that it reads",
    async (gone) => {
      // In no order of completion; 40 pages.
      const world = worldWith(
        range(1, 400).map((id) => ({ responseId: id, completed: at(((id * 137) % 400) * SECOND), size: 10 })),
      );
      let isDone = false;
      world.before.push(({ port, operation, args }) => {
        if (isDone || port !== "service" || operation !== "page" || args[2] !== "asc" || args[1] !== 20) return;
        isDone = true;
        surveyOf(world).records.splice(0, gone);
        surveyOf(world).counts.responses = 400 - gone / 10;
      });
      for (const _ of range(1, 4)) {
        await poll(world, now);
        world.time.now += MINUTE;
      }

      expect(isDone).toBe(true);
      expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
      const known = new Set(world.entries(1).map(({ id }) => id));
      expect(range(gone / 10 + 1, 400).filter((id) => !known.has(id))).toEqual([]);
      expect(deliveredIds(world)).toEqual([]);
    },
  );

  it("emits what a survey polled late has completed after the source's floor, and nothing older", async () => {
    const world = worldWith(scattered);

    await poll(world, { ...now, sourceFloor: at(-10 * MINUTE), firstTick: world.time.now - MINUTE });

    const dates = world.delivered.map(({ data }) => data.response.completed.local ?? "");
    expect(dates).toHaveLength(9);
    expect(dates.every((date) => date > at(-10 * MINUTE))).toBe(true);
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

    await poll(world, { source: { startFrom: "2026-03-10" } });

    expect(deliveredIds(world)).toEqual([3, 4]);
    expect(world.entry(1, 2)?.state).toBe("before-floor");
  });

  it("the beginning takes all of them, whatever their dates", async () => {
    const world = worldWith([...hourly(3), { responseId: 4, completed: null }, { responseId: 5, completed: "soon" }]);

    const result = await polled(world);

    expect(deliveredIds(world).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(result.mark.books).toMatchObject({ listed: 5, emitted: 5, beforeFloor: 0 });
  });

  it("a survey created after the source's first tick is taken from its beginning", async () => {
    const world = worldWith(hourly(3));
    await poll(world, { ...now, presence: "later" });
    expect(deliveredIds(world)).toEqual([1, 2, 3]);
  });

  it("a survey whose list cannot be read gets no floor, and no event", async () => {
    const world = worldWith(hourly(3));
    world.before.push(({ port, operation, args }) => {
      if (port === "service" && operation === "page" && args[2] === "asc") throw new Error("no answer");
    });

    await expect(poll(world, now)).rejects.toThrow("no answer");

    expect(world.mark(1).floor).toBeUndefined();
    expect(surveyOf(world).records).toHaveLength(6);
    expect(deliveredIds(world)).toEqual([]);
  });
});
