import { describe, expect, it } from "vitest";
import { catchUpSlice } from "../../../lib/polling/catch-up-slice.ts";
import type { PollingSource } from "../../../lib/polling/context.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { changeMark, remove } from "./support/slow.ts";
import {
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  type ResponseSpec,
  range,
  recordsOf,
  runTick,
  SECOND,
  sourceDefaults,
  surveyOf,
  takes,
  worldWith,
} from "./support/survey.ts";

interface Sliced {
  world: MemoryWorld;
  /** A tick, then what it has queued: a slice of so many milliseconds. */
  turn: (sliceTime: number, source?: Partial<PollingSource>, before?: () => void) => Promise<void>;
}

/** A world with a queue, whose reads of pages take four seconds each. */
function sliced(responses: ResponseSpec[]): Sliced {
  const world = worldWith(responses);
  const queue: unknown[] = [];
  world.ports.slices = { send: async (slice) => void queue.push(slice) };
  const turn: Sliced["turn"] = async (sliceTime, source = {}, before = () => undefined) => {
    const began = world.time.now;
    await runTick(world, { source, ownTime: 0 });
    before();
    if (queue.shift() !== undefined) {
      await catchUpSlice({
        ports: world.ports,
        source: { ...sourceDefaults, ...source },
        service: "service-1",
        surveyId: 1,
        owner: "worker",
        until: world.time.now + sliceTime,
        deadline: world.time.now + 2 * MINUTE,
      });
    }
    world.time.now = Math.max(world.time.now, began + MINUTE);
  };
  return { world, turn };
}

/** Takes the first responses off the list. */
function removeFirst(world: MemoryWorld, count: number): void {
  const ids = surveyOf(world).records.map((record) => (record as { responseId: number }).responseId);
  remove(world, [...new Set(ids)].slice(0, count));
}

describe("a catch-up in slices", () => {
  it("that comes back to its place meets what moves before it a second time", async () => {
    const all = range(1, 600).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 }));
    const { world, turn } = sliced([]);
    for (const one of all.filter(({ responseId }) => responseId % 2 === 1)) arrive(world, one);
    await runTick(world);
    // Not in the order of completion: every other one is new.
    surveyOf(world).records = all.flatMap(recordsOf);
    surveyOf(world).counts.responses = 600;
    await changeMark(world, (mark) => {
      mark.stream = { page: 1, purpose: "catch-up" };
      mark.headOpen = true;
    });
    takes(world, 4 * SECOND, ({ operation }) => operation === "page");
    world.time.now += MINUTE;
    const deletions: number[] = [];
    for (let i = 0; i < 120 && (i < 4 || world.mark(1).stream !== undefined); i += 1) {
      await turn(12 * SECOND);
      const { page = 0, goneBackFrom } = world.mark(1).stream ?? {};
      const count =
        deletions.length === 0 && page >= 30 ? 50 : deletions.length === 1 && goneBackFrom !== undefined ? 70 : 0;
      if (count === 0) continue;
      removeFirst(world, count);
      deletions.push(page);
    }
    expect(deletions).toHaveLength(2);
    const delivered = new Set(deliveredIds(world));
    expect(range(1, 600).filter((id) => !delivered.has(id))).toEqual([]);
  });
});

describe("a first pass in slices", () => {
  it("notes all of its history where a seam moves, though ten others did not hold still at first", async () => {
    const source = { startFrom: "now" as const };
    // Not in the order of completion.
    const { world, turn } = sliced(
      range(1, 600).map((responseId) => {
        const second = responseId === 31 ? 700 : (responseId * 7_919) % 600;
        return { responseId, completed: at(-HOUR + second * SECOND), size: 10 };
      }),
    );
    takes(world, 4 * SECOND, ({ operation }) => operation === "page");
    let reads = 0;
    /** A page of which a record reads differently each time. */
    let restless = 0;
    /** The page at whose read so much goes that others move past the scan. */
    let shrinksAt = 0;
    let hasShrunk = false;
    world.before.push(({ operation, args }) => {
      if (operation !== "page" || args[2] !== "asc") return;
      reads += 1;
      const { records } = surveyOf(world);
      const place = restless * 100 - 50;
      if (args[1] === restless) records[place] = { ...(records[place] as object), comment: `${reads}` };
      if (args[1] !== shrinksAt || hasShrunk) return;
      hasShrunk = true;
      remove(world, range(1, 45));
    });
    let moved = 0;
    for (let i = 0; i < 300 && (i < 3 || world.mark(1).stream !== undefined); i += 1) {
      restless = 0;
      await turn(shrinksAt > 0 ? 50 * SECOND : 12 * SECOND, source, () => {
        const { page = 0 } = world.mark(1).stream ?? {};
        if (i <= 8 || i % 2 === 1) return;
        if (moved < 10) {
          restless = page;
          moved += 1;
        } else if (page >= 35 && shrinksAt === 0) shrinksAt = page + 4;
      });
    }
    expect([moved, hasShrunk, world.mark(1).firstPassDone]).toEqual([10, true, true]);
    expect(range(1, 600).filter((id) => world.entry(1, id) === undefined)).toEqual([]);
  });
});
