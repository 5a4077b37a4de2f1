import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { DAY } from "../../support/slow.ts";
import {
  arrive,
  complete,
  deliveredIds,
  HOUR,
  poll,
  range,
  recordsOf,
  sortedIds,
  surveyOf,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

/** Operation 9 gives all records of a response, as an array. */
function answerSingly(world: MemoryWorld, size: number): void {
  for (const spec of complete(1, 60, size)) {
    surveyOf(world).single.set(spec.responseId, { kind: "found", body: recordsOf(spec) });
  }
}

/** Lists the last record of each of these responses apart from the others, after all of them. */
function layApart(world: MemoryWorld): void {
  const survey = surveyOf(world);
  const last = survey.records.filter((record) => (record as { questionId: number }).questionId === 3);
  survey.records = [...survey.records.filter((record) => !last.includes(record)), ...last];
}

const sizes = (world: MemoryWorld): number[] => world.delivered.map(({ data }) => data.answers.length);

describe("responses joined from pages", () => {
  // R11
  it("are compared with operation 9 for the first 20, and then for 1 in 200", async () => {
    const world = worldWith(complete(1, 20));
    await poll(world);
    expect(timesCalled(world, "service", "response")).toBe(20);
    expect(world.mark(1).contents).toMatchObject({ answers: "several", compared: 20 });
    world.calls.length = 0;

    for (const response of complete(21, 619)) arrive(world, response);
    await poll(world);

    expect(sortedIds(world)).toEqual(range(1, 619));
    expect(timesCalled(world, "service", "response")).toBe(2);
  });

  it("are compared no more for a day after three answers in a row that say nothing, and then as at first", async () => {
    const world = worldWith(complete(1, 30));
    for (const id of range(1, 90)) surveyOf(world).single.set(id, { kind: "absent" });
    await poll(world);
    expect(deliveredIds(world)).toEqual(range(1, 30));
    world.calls.length = 0;
    for (const response of complete(31, 60)) arrive(world, response);
    await poll(world);
    expect(timesCalled(world, "service", "response")).toBe(0);
    world.time.now += DAY;
    for (const response of complete(61, 90)) arrive(world, response);
    await poll(world);
    expect(timesCalled(world, "service", "response")).toBe(20);
    expect(sortedIds(world)).toEqual(range(1, 90));
  });

  it("go out as joined while operation 9 agrees, or fails", async () => {
    for (const body of ["equal", "absent", "failing"]) {
      const world = worldWith(complete(1, 8, 3));
      if (body === "equal") answerSingly(world, 3);
      world.before.push(({ operation }) => {
        if (body === "failing" && operation === "response") throw new Error("no answer");
      });

      await poll(world);

      expect([body, deliveredIds(world)]).toEqual([body, range(1, 8)]);
      expect(sizes(world)).toEqual(range(1, 8).map(() => 3));
    }
  });

  it("whose records lie apart are not cut: they take their contents from operation 9", async () => {
    const world = worldWith(complete(1, 60, 3));
    layApart(world);
    answerSingly(world, 3);

    for (let polls = 0; polls < 3; polls += 1) {
      await poll(world);
      world.time.now += 2 * HOUR;
    }

    expect(sortedIds(world)).toEqual(range(1, 60));
    expect(new Set(sizes(world))).toEqual(new Set([3]));

    // From then on a new one costs the head, operation 9 and its details, and no pass over all pages.
    const [last] = complete(61, 61, 3);
    if (last === undefined) throw new Error("no response");
    surveyOf(world).single.set(61, { kind: "found", body: recordsOf(last) });
    surveyOf(world).records.push(...recordsOf(last).slice(1));
    world.calls.length = 0;
    await poll(world);
    expect(world.delivered.at(-1)?.data).toMatchObject({ responseId: 61, answers: { length: 3 } });
    expect(timesCalled(world, "service", "page")).toBeLessThanOrEqual(3);
  });
});
