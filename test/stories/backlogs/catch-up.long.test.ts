import { describe, expect, it } from "vitest";
import { placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { goOn, slice, slowWorld } from "../../support/slices.ts";
import {
  addSurvey,
  arrive,
  at,
  backlogRound,
  complete,
  deliveredIds,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  sortedIds,
  surveyOf,
  tickAlone,
} from "../../support/survey.ts";

/** A tick with so little time of its own that a backlog is left to slices. */
const tick = (world: MemoryWorld) => tickAlone(world, { ownTime: 0 });

const serverError = () => Object.assign(new Error("500"), { code: "SERVER_ERROR" });

// R25
describe("a backlog that a tick has no time for", () => {
  it("is caught up by a slice beside the ticks, oldest first", async () => {
    const world = slowWorld(complete(1, 200, 10));
    const { surveys, behind } = await tick(world);
    expect(surveys).toMatchObject([{ surveyId: 1, unfinished: true }]);
    expect(behind).toBe(1);
    expect(deliveredIds(world).length).toBeLessThan(100);

    expect(await slice(world)).toMatchObject({ outcome: "done" });
    expect(deliveredIds(world)).toEqual(range(1, 200));
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
    expect(placeOf(world.mark(1))).toBeUndefined();
    expect(world.mark(1).patrol).toBeDefined();
  });

  it("does not keep what comes to the head meanwhile waiting, and nothing goes out twice", async () => {
    const world = slowWorld(complete(1, 500, 10));
    await tick(world);
    await tick(world);
    const before = deliveredIds(world).length;
    for (const response of complete(501, 503, 10)) arrive(world, response);
    world.time.now += 10 * SECOND;
    await tick(world);
    expect(deliveredIds(world).slice(before)).toEqual([501, 502, 503]);
    expect(world.delivered.at(-1)?.meta.origin).toBe("head");

    for (let i = 0; i < 40 && placeOf(world.mark(1)) !== undefined; i += 1) {
      await slice(world, { streamUntil: world.time.now + MINUTE });
      world.time.now += MINUTE;
      await tick(world);
    }
    expect(sortedIds(world)).toEqual(range(1, 503));
  });
});

describe("a catch-up in slices", () => {
  it("does not end where the survey is gone for a moment", async () => {
    const world = slowWorld(complete(1, 200, 10));
    const more = { source: { headPages: 3 } };
    await runTick(world, more);
    await goOn(world, 3, more);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
    for (const response of complete(201, 600, 10)) arrive(world, response);
    await runTick(world, { ownTime: 0, ...more });
    expect(world.mark(1).phase).toMatchObject({ kind: "catch-up" });

    const { service } = world.ports;
    world.ports.service = { ...service, page: async () => ({ kind: "none", status: 404 }) };
    await slice(world, { streamUntil: world.time.now + 20 * SECOND });
    expect(placeOf(world.mark(1))).toBeDefined();
    world.ports.service = service;
    world.time.now += MINUTE;
    await goOn(world, 15, more);
    expect(sortedIds(world)).toEqual(range(1, 600));
  });

  // R7, R9
  it.each(["is empty", "fails", "is the last one", "is the first one"] as const)(
    "comes to its end where the list no longer has the page where it was, and a page behind the end %s",
    async (what) => {
      const world = slowWorld(complete(1, 400, 10));
      const { service } = world.ports;
      const page = async (...[surveyId, number, order]: Parameters<typeof service.page>) => {
        const last = Math.ceil(surveyOf(world).records.length / 100);
        if (number > last && what === "fails") throw serverError();
        const shown = { "is the last one": last, "is the first one": 1, "is empty": number, fails: number }[what];
        return service.page(surveyId, number > last ? shown : number, order);
      };
      world.ports.service = { ...service, page };
      await goOn(world, 2, { sliceTime: 15 * SECOND });
      expect(placeOf(world.mark(1))?.page).toBeGreaterThan(10);
      surveyOf(world).records.splice(0, 3_250);
      await goOn(world, 20);
      expect(placeOf(world.mark(1))).toBeUndefined();
      for (const id of range(326, 400)) expect(deliveredIds(world).filter((one) => one === id)).toEqual([id]);
    },
  );
});

// R25
describe("catching up", () => {
  it("is done by one invocation of a source at a time, and the other one does nothing", async () => {
    const world = slowWorld(complete(1, 200, 10));
    await tick(world);
    const rounds = await Promise.all([backlogRound(world, { owner: "one" }), backlogRound(world, { owner: "two" })]);
    expect(rounds.filter((round) => round !== undefined)).toHaveLength(1);
    expect(deliveredIds(world)).toEqual(range(1, 200));
  });
});

const completeOf = (surveyId: number, from: number, to: number) =>
  range(from, to).map((responseId) => ({ surveyId, responseId, completed: at(responseId * SECOND), size: 2 }));

/** A minute: a tick, which takes no time here, and a round of catching up. */
async function minute(world: MemoryWorld): Promise<void> {
  const { now } = world.time;
  const slow = world.before.splice(0);
  await tickAlone(world, { ownTime: -1, owner: "tick" });
  world.before.push(...slow);
  await backlogRound(world, { owner: "catch-up", deadline: now + 15 * MINUTE });
  world.time.now = Math.max(world.time.now, now + MINUTE);
}

// R25
it("a survey with a small backlog has its turn beside many with large ones", async () => {
  const backlogs = 8;
  const world = slowWorld(completeOf(1, 1, 5_000), 10 * SECOND);
  for (const id of range(2, backlogs)) addSurvey(world, id, completeOf(id, 1, 5_000));
  for (let i = 0; i < 15; i += 1) await minute(world);
  addSurvey(world, 99, completeOf(99, 100_001, 100_100));
  for (let i = 0; i < backlogs + 1; i += 1) await minute(world);
  expect(deliveredIds(world).filter((id) => id > 100_000)).toHaveLength(100);
});

// R5, R25
it("news above a backlog go out at the next tick also where the list moves while they are read", async () => {
  const world = slowWorld(complete(1, 5_000));
  await goOn(world, 3, { sliceTime: 4 * SECOND });
  // Two pages and a half of news.
  for (const response of complete(6_001, 6_125)) arrive(world, response);
  let looks = 0;
  world.before.push(({ operation, args }) => {
    if (operation !== "page" || args[2] !== "desc" || args[1] !== 3) return;
    looks += 1;
    if (looks !== 2) return;
    // One comes in below them, between two looks at the page where the backlog begins.
    const { records } = surveyOf(world);
    const place = records.findIndex((record) => (record as { responseId: number }).responseId === 6_001);
    records.splice(place, 0, ...complete(6_000, 6_000).flatMap(recordsOf));
  });
  await goOn(world, 1);
  expect(looks).toBeGreaterThanOrEqual(2);
  expect(deliveredIds(world)).toEqual(expect.arrayContaining(range(6_001, 6_125)));
});
