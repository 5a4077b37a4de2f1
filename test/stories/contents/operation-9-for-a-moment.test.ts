import { describe, expect, it } from "vitest";
import { byQuestion, complete, eventsOf } from "../../support/apart.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  deliveredIds,
  MINUTE,
  pagesRead,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

// What operation 9 says of a few responses, or at one moment, decides for no other response and for no day.

const sorted = (ids: number[]): number[] => ids.toSorted((a, b) => a - b);

const source = { backgroundRequests: 10 };

async function ticks(world: MemoryWorld, count: number): Promise<void> {
  for (const _ of range(1, count)) {
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
}

/** Fails the calls for which `which` is true. */
function failIf(world: MemoryWorld, which: (operation: string, args: readonly unknown[]) => boolean): void {
  world.before.push(({ operation, args }) => {
    if (which(operation, args)) throw Object.assign(new Error("no answer"), { code: "SERVER_ERROR" });
  });
}

// R11, R12
describe("where records lie apart", () => {
  it("a response that operation 9 never gives keeps no later one waiting", async () => {
    const world = worldWith(complete([1]));
    surveyOf(world).single.set(1, { kind: "absent" });
    arrive(world, { responseId: 2, completed: null, size: 3, fields: { completed: 0 } });
    byQuestion(world);
    await ticks(world, 5);
    expect(world.entry(1, 1)).toMatchObject({ state: "held" });
    surveyOf(world).records = complete([1, 2]).flatMap(recordsOf);
    byQuestion(world);
    await ticks(world, 20);
    expect(eventsOf(world, 2)).toEqual([[1, [1, 2, 3]]]);
    expect(eventsOf(world, 1)).toEqual([]);
  });

  it("responses of one record tell nothing of those of several: the latter are compared", async () => {
    const world = worldWith([...complete(range(1, 10), 1), ...complete(range(11, 20), 3)]);
    byQuestion(world);
    await ticks(world, 1);
    expect(world.mark(1).contents).toMatchObject({ apart: 0, answers: "several" });
    expect(sorted(deliveredIds(world))).toEqual(range(1, 20));
  });

  it("an operation 9 that fails for a moment is asked again within the hour", async () => {
    const world = worldWith(complete(range(1, 20)));
    byQuestion(world);
    let fails = true;
    failIf(world, (operation) => fails && operation === "response");
    await ticks(world, 1);
    fails = false;
    await ticks(world, 3);
    expect(deliveredIds(world)).toEqual([]);
    await ticks(world, 60);
    expect(sorted(deliveredIds(world))).toEqual(range(1, 20));
  });
});

// R12, R9
describe("where records stand together, and operation 9 has more of them than the pages,", () => {
  it("walks that a fault has cut short decide nothing: everything goes out by its pages once one comes to its end", async () => {
    const world = worldWith(complete(range(1, 60)));
    for (const spec of complete(range(1, 60), 4))
      surveyOf(world).single.set(spec.responseId, { kind: "found", body: recordsOf(spec) });
    let isOut = true;
    // The walk that is to tell begins once operation 9 has answered.
    let hasAnswered = false;
    failIf(world, (operation, args) => {
      hasAnswered ||= operation === "response";
      return isOut && hasAnswered && operation === "page" && args[1] === 2;
    });
    await ticks(world, 10);
    expect(deliveredIds(world)).toEqual([]);
    isOut = false;
    await ticks(world, 120);
    expect(sorted(deliveredIds(world))).toEqual(range(1, 60));
    expect(new Set(world.delivered.map(({ data }) => data.answers.length))).toEqual(new Set([3]));
    expect(world.mark(1).contents.apart).toBeUndefined();
  });

  it("of one alone, as that has grown since its page was read, the next poll finds nothing amiss, and walks over no list for it", async () => {
    const world = worldWith(complete(range(1, 400)));
    let looks = 0;
    let fails = false;
    failIf(world, (operation, args) => {
      if (operation === "response" && args[1] === 7) {
        looks += 1;
        const size = looks === 1 ? 4 : 3;
        const grown = recordsOf({ responseId: 7, completed: at(7 * SECOND), size });
        surveyOf(world).single.set(7, { kind: "found", body: grown });
        fails = looks === 1;
      }
      return fails && operation === "page" && args[1] === 3;
    });
    await ticks(world, 1);
    expect(world.mark(1).contents.suspects).toEqual([7]);
    fails = false;
    await ticks(world, 1);
    expect(sorted(deliveredIds(world))).toEqual(range(1, 400));
    expect(world.mark(1).contents).toMatchObject({ answers: "several" });
    expect(world.mark(1).contents.suspects).toBeUndefined();
    // The catch-up, which began twice, and no walk over all 12 pages more: each reads its pages twice.
    expect(pagesRead(world).length).toBeLessThan(60);
  });
});
