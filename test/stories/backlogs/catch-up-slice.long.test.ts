import { describe, expect, it } from "vitest";
import { type PageRead, placeOf } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { goOn, slice, slowWorld } from "../../support/slices.ts";
import {
  arrive,
  at,
  backlogRound,
  deliveredIds,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  takes,
  tickAlone,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

const complete = (from: number, to: number) =>
  range(from, to).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 }));

/** A tick with so little time of its own that a backlog is left to slices. */
const tick = (world: MemoryWorld) => tickAlone(world, { ownTime: 0 });

const serverError = () => Object.assign(new Error("500"), { code: "SERVER_ERROR" });

// R25
describe("a backlog that a tick has no time for", () => {
  it("is caught up by a slice beside the ticks, oldest first", async () => {
    const world = slowWorld(complete(1, 200));
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

  it("takes a quarter of the interval from the tick, where nothing says how much it may", async () => {
    const world = slowWorld(complete(1, 900));
    const began = world.time.now;
    expect((await tickAlone(world)).behind).toBe(1);
    expect(world.time.now - began).toBeLessThan(MINUTE / 3);
    expect(deliveredIds(world).length).toBeLessThan(900);
  });

  it("goes on with another slice after one that did not reach its end", async () => {
    const world = slowWorld(complete(1, 900));
    await tick(world);
    expect(await slice(world, { streamUntil: world.time.now + 8 * SECOND })).toMatchObject({ outcome: "goes on" });
    const emitted = deliveredIds(world).length;
    expect(emitted).toBeGreaterThan(10);
    expect((await tick(world)).behind).toBe(1);
    expect(deliveredIds(world)).toHaveLength(emitted);
    expect(await slice(world)).toMatchObject({ outcome: "done" });
    expect(deliveredIds(world)).toEqual(range(1, 900));
  });

  it("comes to its end however short the slices are, also where it is a single page", async () => {
    const world = slowWorld(complete(1, 5));
    takes(world, 3 * SECOND, ({ operation }) => operation === "page");
    await tick(world);
    for (let i = 0; i < 4 && placeOf(world.mark(1)) !== undefined; i += 1) {
      await slice(world, { streamUntil: world.time.now + 6.5 * SECOND });
      await tick(world);
    }
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
    expect(placeOf(world.mark(1))).toBeUndefined();
    expect(deliveredIds(world)).toEqual(range(1, 5));
  });

  it("does not keep what comes to the head meanwhile waiting, and nothing goes out twice", async () => {
    const world = slowWorld(complete(1, 500));
    await tick(world);
    await tick(world);
    const before = deliveredIds(world).length;
    for (const response of complete(501, 503)) arrive(world, response);
    world.time.now += 10 * SECOND;
    await tick(world);
    expect(deliveredIds(world).slice(before)).toEqual([501, 502, 503]);
    expect(world.delivered.at(-1)?.meta.origin).toBe("head");

    for (let i = 0; i < 40 && placeOf(world.mark(1)) !== undefined; i += 1) {
      await slice(world, { streamUntil: world.time.now + MINUTE });
      world.time.now += MINUTE;
      await tick(world);
    }
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 503));
  });

  it("comes to all that has come to the head, tick by tick, though one look takes a page of news at most", async () => {
    const world = slowWorld(complete(1, 300));
    const more = { ownTime: 0, source: { headPages: 1 } };
    await runTick(world, more);
    world.time.now += MINUTE;
    await runTick(world, more);
    world.delivered.length = 0;
    // Three pages, and one that stands across the end of the first.
    for (const response of complete(301, 370)) arrive(world, { ...response, size: 3 });

    for (let i = 0; i < 5; i += 1) {
      world.time.now += MINUTE;
      await runTick(world, more);
    }

    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(301, 370));
  });

  it("takes no more than a page of the head at each tick while nothing comes", async () => {
    const world = slowWorld(complete(1, 500));
    await tick(world);
    await tick(world);
    const before = timesCalled(world, "service");
    await tick(world);
    // The survey list and the head.
    expect(timesCalled(world, "service") - before).toBe(2);
  });
});

describe("a catch-up in slices", () => {
  it("does not end where the survey is gone for a moment", async () => {
    const world = slowWorld(complete(1, 200));
    const more = { source: { headPages: 3 } };
    await runTick(world, more);
    await goOn(world, 3, more);
    expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
    for (const response of complete(201, 600)) arrive(world, response);
    await runTick(world, { ownTime: 0, ...more });
    expect(world.mark(1).phase).toMatchObject({ kind: "catch-up" });

    const { service } = world.ports;
    world.ports.service = { ...service, page: async () => ({ kind: "none", status: 404 }) };
    await slice(world, { streamUntil: world.time.now + 20 * SECOND });
    expect(placeOf(world.mark(1))).toBeDefined();
    world.ports.service = service;
    world.time.now += MINUTE;
    await goOn(world, 15, more);
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 600));
  });

  it("meets all of history where the list has become shorter by more than a page between two of them, or longer", async () => {
    const more = { source: { startFrom: "now" } };
    const unordered = (from: number, to: number) =>
      range(from, to).map((responseId) => ({
        responseId,
        completed: at(((responseId * 137) % 300) * SECOND),
        size: 10,
      }));
    for (const change of ["shorter", "longer"]) {
      const world = slowWorld(unordered(101, 300));
      const { service } = world.ports;
      const page = async (...[surveyId, number, order]: Parameters<typeof service.page>) => {
        if (number > 10) throw serverError();
        return service.page(surveyId, number, order);
      };
      world.ports.service = { ...service, page };
      await goOn(world, 1, more);
      expect(world.mark(1).phase).toMatchObject({ kind: "catch-up", place: { page: 10 } });
      world.ports.service = service;
      const { records } = surveyOf(world);
      if (change === "shorter") records.splice(0, 400);
      else records.unshift(...unordered(1, 40).flatMap((response) => recordsOf(response)));
      await goOn(world, 5, more);
      expect(world.mark(1)).toMatchObject({ phase: { kind: "head" } });
      const entries = await world.ports.state.entries(1, range(201, 300));
      expect(entries.size).toBe(100);
      const { at: start } = world.account.start ?? {};
      const dates = world.delivered.map(({ data }) => data.response.completed.local ?? "");
      expect(dates.filter((date) => date <= (start ?? ""))).toEqual([]);
    }
  });

  // R7, R9
  it.each(["is empty", "fails", "is the last one", "is the first one"] as const)(
    "comes to its end where the list no longer has the page where it was, and a page behind the end %s",
    async (what) => {
      const world = slowWorld(complete(1, 400));
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

  // R8
  it("cuts nothing though it has begun further down, and the service begins again behind its end with what has come meanwhile", async () => {
    const responses = range(101, 240).map((responseId) => ({
      responseId,
      completed: at(responseId * SECOND),
      size: 15,
    }));
    const world = slowWorld(responses);
    const { service } = world.ports;
    let isCutOff = true;
    const page = async (...[surveyId, number, order]: Parameters<typeof service.page>) => {
      if (isCutOff && number > 15) throw serverError();
      const last = Math.ceil(surveyOf(world).records.length / 100);
      return service.page(surveyId, number > last ? 1 : number, order);
    };
    world.ports.service = { ...service, page };
    await goOn(world, 1);
    expect(placeOf(world.mark(1))?.page).toBeGreaterThan(3);
    isCutOff = false;
    const come = range(1, 8).map((responseId) => ({ responseId, completed: at(500 * SECOND), size: 15 }));
    surveyOf(world).records.unshift(...come.flatMap((response) => recordsOf(response)));
    // They stand before the place where it goes on, and the counts show them.
    surveyOf(world).counts.responses = 148;
    await goOn(world, 80, { sliceTime: 40 * SECOND });
    expect(deliveredIds(world).toSorted((one, other) => one - other)).toEqual([...range(1, 8), ...range(101, 240)]);
    expect(world.delivered.filter(({ data }) => data.answers.length !== 15)).toEqual([]);
  });

  it("comes further though all of the page where it was is edited at each of them, and the service is slow", async () => {
    const world = slowWorld(complete(1, 200));
    const { service } = world.ports;
    await tick(world);
    const reached: number[] = [];
    for (let i = 0; i < 150 && placeOf(world.mark(1)) !== undefined; i += 1) {
      const { page = 1 } = placeOf(world.mark(1)) ?? {};
      reached.push(page);
      for (const record of surveyOf(world).records.slice(page * 100 - 100, page * 100)) {
        Object.assign(record as object, { comment: `edited ${i}` });
      }
      // It is cut off after so many pages.
      let left = 12;
      world.ports.service = {
        ...service,
        page: async (...args: Parameters<typeof service.page>) => {
          left -= 1;
          if (left < 0) throw serverError();
          return service.page(...args);
        },
      };
      await goOn(world, 1);
    }
    expect(placeOf(world.mark(1))).toBeUndefined();
    expect(Math.max(...reached)).toBeGreaterThan(10);
  });

  it("does not end where pages behind a short one fail for a moment, as some did long before", async () => {
    const world = slowWorld(complete(1, 600).map((response) => ({ ...response, size: 7 })));
    const { service } = world.ports;
    let failsFrom = 2;
    // Pages of 50 records: each of them is short.
    world.ports.service = {
      ...service,
      async page(surveyId, page, order): Promise<PageRead> {
        if (order === "asc" && page >= failsFrom) throw serverError();
        const read = await service.page(surveyId, Math.ceil(page / 2), order);
        const from = page % 2 === 1 ? 0 : 50;
        return read.kind === "none" ? read : { ...read, records: read.records.slice(from, from + 50) };
      },
    };
    await goOn(world, 1, { sliceTime: 8 * SECOND });
    failsFrom = Number.POSITIVE_INFINITY;
    await goOn(world, 11, { sliceTime: 8 * SECOND });
    const reached = placeOf(world.mark(1))?.page ?? 0;
    expect(reached).toBeGreaterThan(10);
    failsFrom = reached;
    await goOn(world, 1, { sliceTime: 8 * SECOND });
    expect(world.delivered.filter(({ data }) => data.answers.length !== 7)).toEqual([]);
    expect(placeOf(world.mark(1))).toBeDefined();
  });

  it("goes on although the head cannot be looked at", async () => {
    const world = slowWorld(complete(1, 200));
    await tick(world);
    world.before.push(({ operation, args }) => {
      if (operation === "page" && args[2] === "desc") throw serverError();
    });
    const { surveys } = await tick(world);
    expect(surveys).toMatchObject([{ failure: { code: "SERVER_ERROR" } }]);
    await goOn(world, 10);
    expect(deliveredIds(world)).toEqual(range(1, 200));
  });

  it("has nothing on its way any more when a slice has failed", async () => {
    const world = worldWith(complete(1, 200));
    takes(world, 100, ({ operation }) => operation === "page");
    await tick(world);
    const emitted = new Set(deliveredIds(world));
    const turn = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    let asked = 0;
    world.before.push(async ({ operation, args }) => {
      if (operation !== "metrics" || emitted.has(Number(args[1]))) return;
      asked += 1;
      if (asked > 1) await turn(100);
      throw asked === 1 ? Object.assign(new Error("429"), { code: "TOO_MANY_REQUESTS" }) : serverError();
    });
    await expect(slice(world)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    const calls = world.calls.length;
    await turn(200);
    expect(world.calls.slice(calls).map(({ operation }) => operation)).toEqual([]);
  });
});

describe("a slice whose table fails altogether", () => {
  it("repeats no more than what was in flight: four requests of ten events", async () => {
    const world = slowWorld(complete(1, 400).map((response) => ({ ...response, size: 2 })));
    await tick(world);
    const turn = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    let isDown = false;
    let writes = 0;
    world.before.push(async ({ operation }) => {
      if (operation === "publish") await turn(5);
      isDown ||= operation === "putEntries";
      if (isDown && ["putEntries", "saveMark", "release"].includes(operation)) {
        writes += 1;
        await turn(5 * writes);
        throw new Error("the table is down");
      }
    });
    const before = world.delivered.length;
    expect(await slice(world)).toMatchObject({ outcome: "stuck", failure: {} });
    expect(world.delivered.length - before).toBeLessThanOrEqual(40);
  });
});

describe("a slice that meets events that were short among what is new", () => {
  it("has no more than four requests of ten events in flight", async () => {
    const world = slowWorld(complete(1, 400).map((response) => ({ ...response, size: 3 })));
    // The mark was lost, and what the ledger holds has grown since.
    const short = range(101, 200).map((id) => ({
      id,
      state: "emitted" as const,
      count: 2,
      revision: 1,
      eventId: `${id}`,
    }));
    for (const entry of short) await world.ports.state.putEntries(1, [entry]);
    await tick(world);

    const turn = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    let most = 0;
    world.after.push(async ({ operation }) => {
      if (operation !== "publish") return;
      const { length } = world.delivered.filter(({ meta, data }) => {
        const { state, revision = 1 } = world.entry(1, data.responseId) ?? {};
        return state !== "emitted" || revision < meta.revision;
      });
      most = Math.max(most, length);
      await turn(20);
    });
    for (let i = 0; i < 5; i += 1) await slice(world, { streamUntil: world.time.now + 40 * SECOND });
    const revisions = new Set(world.delivered.map(({ meta }) => meta.revision));
    expect(revisions).toEqual(new Set([1, 2]));
    expect(most).toBeGreaterThan(30);
    expect(most).toBeLessThanOrEqual(40);
  });
});

describe("a slice of a service so slow that a page of responses takes longer than an invocation has", () => {
  it("comes further each time, though it is cut off", async () => {
    const world = slowWorld(complete(1, 400).map((response) => ({ ...response, size: 1 })));
    await tick(world);
    const before = world.delivered.length;
    // One request a second, of which a page of single records needs two hundred.
    let turn: Promise<void> = Promise.resolve();
    let killedAt = world.time.now + 2 * MINUTE;
    world.before.push(async ({ port, operation }) => {
      if (operation === "metrics" || operation === "metadata") {
        turn = turn.then(async () => {
          await new Promise((resolve) => setImmediate(resolve));
          world.time.now += SECOND;
        });
        await turn;
      }
      if (port !== "vault" && world.time.now > killedAt) await new Promise(() => undefined);
    });
    for (let i = 1; i <= 3; i += 1) {
      killedAt = world.time.now + 2 * MINUTE;
      const cut = new Promise((resolve) => setTimeout(resolve, 300));
      await Promise.race([slice(world, { streamUntil: world.time.now + MINUTE }), cut]);
      world.time.now = killedAt + MINUTE;
      expect(new Set(deliveredIds(world)).size).toBeGreaterThan(before + i * 10);
    }
  });
});

describe("a backlog of which the bus does not take one response", () => {
  it("goes out but for that one, which waits for the next tick", async () => {
    const world = slowWorld(complete(1, 60));
    world.bus.decide = ({ data }) => (data.responseId === 7 ? { kind: "failed", code: "InternalFailure" } : undefined);
    await tick(world);
    expect(await slice(world)).toMatchObject({ outcome: "done" });
    expect(new Set(deliveredIds(world))).toEqual(new Set(range(1, 60).filter((id) => id !== 7)));

    world.bus.decide = () => undefined;
    world.time.now += MINUTE;
    await tick(world);
    expect(deliveredIds(world).slice(59)).toEqual([7]);
  });
});

// R25
describe("catching up", () => {
  it("does nothing for a survey that needs none", async () => {
    const world = slowWorld(complete(1, 5));
    await runTick(world);
    await slice(world);
    expect(placeOf(world.mark(1))).toBeUndefined();
    const before = timesCalled(world, "service");
    expect(await slice(world)).toMatchObject({ outcome: "done" });
    expect(timesCalled(world, "service")).toBe(before);
  });

  it("leaves a survey to whoever holds it", async () => {
    const world = slowWorld(complete(1, 200));
    await tick(world);
    await world.ports.state.acquire(1, "tick", 10 * MINUTE);
    expect(await slice(world)).toMatchObject({ outcome: "busy" });
  });

  it("is done by one invocation of a source at a time, and the other one does nothing", async () => {
    const world = slowWorld(complete(1, 200));
    await tick(world);
    const rounds = await Promise.all([backlogRound(world, { owner: "one" }), backlogRound(world, { owner: "two" })]);
    expect(rounds.filter((round) => round !== undefined)).toHaveLength(1);
    expect(deliveredIds(world)).toEqual(range(1, 200));
  });

  it("is left alone while the service wants to be", async () => {
    const world = slowWorld(complete(1, 200));
    await tick(world);
    world.account.pausedUntil = world.time.now + 10 * MINUTE;
    const before = timesCalled(world, "service");
    expect(await backlogRound(world)).toMatchObject({ slices: [], goesOn: false });
    expect(timesCalled(world, "service")).toBe(before);
  });

  it("of another service's state is refused", async () => {
    const world = slowWorld(complete(1, 5));
    await tick(world);
    world.account.service = "service-2";
    await expect(backlogRound(world)).rejects.toMatchObject({ code: "STATE_REFUSED" });
  });
});
