import { afterEach, describe, expect, it, vi } from "vitest";
import { placeOf } from "../../../lib/polling/index.ts";
import { type PollSourcesRequest, pollSources, RESERVE } from "../../../lib/run/poll-sources.ts";
import { CredentialsMissingError } from "../../../lib/survey-api/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  fail,
  failure,
  letTimePass,
  MINUTE,
  range,
  SECOND,
  takes,
  worldWith,
} from "../../support/survey.ts";
import { type MemoryGraph, memoryGraph } from "../support/graph.ts";
import { memoryLog } from "../support/log.ts";

const graph = (name: string, world: MemoryWorld): MemoryGraph => memoryGraph(world, { name });

const one = (): MemoryWorld => worldWith([{ responseId: 1, completed: at(0) }]);
const remaining = (): number => 60_000;

/** Lets the platform's clock be that of the world. */
function runsBy(world: MemoryWorld): void {
  vi.spyOn(Date, "now").mockImplementation(() => world.time.now);
}
afterEach(() => {
  vi.restoreAllMocks();
});

/** A source with a backlog of so many responses, each page of which takes so long: more than a tick does by itself. */
function withBacklog(responses = 1_500, readTime: number = 4 * SECOND): MemoryWorld {
  const world = worldWith(range(1, responses).map((responseId) => ({ responseId, completed: at(-responseId) })));
  takes(world, readTime, ({ operation }) => operation === "page");
  return world;
}

/** The roles that an invocation has asked for, and what each was: taken, or not. */
const rolesOf = (world: MemoryWorld): unknown[] =>
  world.calls.filter(({ operation }) => operation === "takeRole").map(({ args }) => args[0]);

/** An invocation that begins now and has so long, in milliseconds of the world. */
function invocation(
  world: MemoryWorld,
  graphs: MemoryGraph[],
  { owner = "o", time = 15 * MINUTE }: { owner?: string; time?: number } = {},
): PollSourcesRequest & { logger: ReturnType<typeof memoryLog> } {
  const end = world.time.now + time;
  return { graphs, owner, remaining: () => end - world.time.now, logger: memoryLog() };
}

describe("polling all sources", () => {
  it("goes on after a source that fails, and throws its error at the end, without what others might quote", async () => {
    const [broken, well] = [one(), one()];
    fail(broken, "surveys", failure("ODD"));
    const log = memoryLog();

    await expect(
      pollSources({ graphs: [graph("a", broken), graph("b", well)], owner: "o", remaining, logger: log }),
    ).rejects.toMatchObject({ code: "ODD", retryable: true });

    expect(deliveredIds(well)).toEqual([1]);
    expect(log.lines[0]).toMatchObject({ level: "error", details: { source: "a", code: "ODD" } });
    expect(JSON.stringify(log.lines)).not.toContain("jane@example.com");
  });

  it("takes a source without credentials that work for no failure, beside others that are polled or fail", async () => {
    const [without, well, broken] = [one(), one(), one()];
    fail(without, "surveys", new CredentialsMissingError("no value", { hint: "Fill it." }));
    const graphs = [graph("a", without), graph("b", well)];
    const log = memoryLog();

    const output = await pollSources({ graphs, owner: "o", remaining, logger: log });

    expect(output.ticks).toMatchObject([{ source: "b" }]);
    const problem = { kind: "missing", code: "CREDENTIALS_MISSING", message: "no value", hint: "Fill it." };
    expect(output.blocked).toEqual([{ source: "a", ...problem }]);
    expect(graphs[0]?.settle).toHaveBeenCalledTimes(1);

    fail(broken, "surveys", failure("ODD"));
    const all = [...graphs, graph("c", broken)];
    await expect(pollSources({ graphs: all, owner: "o", remaining, logger: log })).rejects.toMatchObject({
      code: "ODD",
    });
  });

  it.each<[string, (world: MemoryWorld) => Promise<() => unknown>]>([
    [
      "a pause has ended",
      async (world) => {
        world.account.pausedUntil = world.time.now + 90_000;
        return () => delete world.account.pausedUntil;
      },
    ],
    [
      "another invocation does",
      async (world) => {
        const lease = await world.ports.state.takeRole("tick", "another", MINUTE);
        return () => lease && world.ports.state.giveBackRole(lease);
      },
    ],
  ])("does not take a tick that %s for the end of a credentials problem", async (_name, keep) => {
    const world = one();
    let isFilled = false;
    world.before.push(({ operation }) => {
      if (operation === "surveys" && !isFilled) throw new CredentialsMissingError("no value");
    });
    const request = invocation(world, [graph("a", world)]);
    const told = (message: string) => request.logger.lines.filter((line) => line.message === message).length;

    await pollSources(request);
    const letGo = await keep(world);
    await pollSources(request);
    await letGo();
    await pollSources(request);
    expect([told("credentials problem"), told("credentials work")]).toEqual([1, 0]);

    isFilled = true;
    await pollSources(request);
    await pollSources(request);
    expect([told("credentials problem"), told("credentials work")]).toEqual([1, 1]);
  });

  it("tells of a source that is left alone because the service asked for it", async () => {
    const world = one();
    world.account.pausedUntil = world.time.now + 90_000;
    const log = memoryLog();
    const { ticks } = await pollSources({ graphs: [graph("a", world)], owner: "o", remaining, logger: log });
    expect(ticks).toMatchObject([{ source: "a", pausedUntil: world.account.pausedUntil }]);
    expect(log.lines).toEqual([
      { level: "warn", message: "source paused", details: { source: "a", until: "2026-03-10T12:01:30.000Z" } },
    ]);
  });

  it("begins nothing when there is no time left but to bring the state home", async () => {
    const world = one();
    arrive(world, { responseId: 2, completed: at(1) });
    runsBy(world);
    world.before.push(({ operation }) => {
      if (operation === "surveys") world.time.now += 1;
    });
    await pollSources({ graphs: [graph("a", world)], owner: "o", remaining: () => 15_000, logger: memoryLog() });
    expect(deliveredIds(world)).toEqual([]);
  });
});

// R25
describe("a tick that another invocation does", () => {
  it("is left at once, and so are backlogs that a third one works off: the invocation says so, and asks the service for nothing", async () => {
    const world = withBacklog();
    await world.ports.state.takeRole("tick", "another", MINUTE);
    await world.ports.state.takeRole("backlog", "a third", MINUTE);
    world.calls.length = 0;
    const one = graph("a", world);
    const request = invocation(world, [one]);

    const { ticks } = await pollSources(request);

    expect(ticks).toEqual([{ source: "a", listed: 0, surveys: [], unpolled: 0, behind: 0, outages: [], isBusy: true }]);
    expect(world.calls.map(({ operation }) => operation)).toEqual(["takeRole", "takeRole"]);
    expect(one.begin).toHaveBeenCalledTimes(2);
    expect(one.settle).toHaveBeenCalledTimes(2);
    expect(request.logger.lines).toEqual([
      { level: "info", message: "left: another invocation does the tick", details: { source: "a" } },
    ]);
  });
});

// R25
describe("backlogs", () => {
  it("are worked off also while the survey list fails", async () => {
    const world = withBacklog(300, 100);
    runsBy(world);
    const twoMinutes = { time: 2 * MINUTE };
    await pollSources(invocation(world, [graph("a", world)], { time: 36 * SECOND }));
    expect(deliveredIds(world).length).toBeLessThan(300);
    fail(world, "surveys");
    for (let i = 0; i < 5; i += 1) {
      world.time.now += MINUTE;
      await expect(pollSources(invocation(world, [graph("a", world)], twoMinutes))).rejects.toThrow();
    }
    expect(new Set(deliveredIds(world)).size).toBe(300);
  });

  it("are worked off after the tick, whose role is free by then, and each part ends with what others are told", async () => {
    const world = withBacklog();
    runsBy(world);
    const one = graph("a", world);
    const order: string[] = [];
    world.after.push(({ operation, args }) => {
      if (operation === "takeRole") order.push(`takes ${args[0]}`);
      if (operation === "giveBackRole") order.push(`gives back ${(args[0] as { role: string }).role}`);
    });
    one.settle.mockImplementation(async () => void order.push("settle"));
    const request = invocation(world, [one]);
    const began = world.time.now;

    const { ticks } = await letTimePass(world, pollSources(request));

    expect(ticks).toMatchObject([{ source: "a", behind: 1, surveys: [{ unfinished: true }] }]);
    expect(order).toEqual([
      ...["takes tick", "gives back tick", "settle"],
      ...["takes backlog", "gives back backlog", "settle"],
    ]);
    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual(range(1, 1_500));
    // Both know when the invocation ends.
    for (const [abortsAt] of one.begin.mock.calls) expect(abortsAt).toBe(began + 15 * MINUTE - RESERVE);
    expect(request.logger.lines.map(({ message }) => message)).toContain("backlog");
    expect(request.logger.lines.filter(({ level }) => level !== "info")).toEqual([]);
  });

  it("give out events with the survey as it is listed by then", async () => {
    const world = withBacklog(1_500, 8 * SECOND);
    runsBy(world);
    await letTimePass(world, pollSources(invocation(world, [graph("a", world)], { time: 2 * MINUTE })));
    const before = world.delivered.length;
    expect(before).toBeLessThan(1_500);
    world.model.editSurvey(1);
    await world.ports.state.takeRole("tick", "another", 15 * MINUTE);
    await letTimePass(world, pollSources(invocation(world, [graph("a", world)])));
    const editions = world.delivered.map(({ data }) => data.survey?.modified);
    expect(new Set(editions.slice(before))).not.toContain(editions[0]);
    expect(editions.length).toBeGreaterThan(before);
  });

  it("of a source that has none are not asked for", async () => {
    const world = one();
    const only = graph("a", world);
    await pollSources(invocation(world, [only]));
    expect(rolesOf(world)).toEqual(["tick"]);
    expect(only.begin).toHaveBeenCalledTimes(1);
  });

  it("are one invocation's: beside it others tick, and leave them", async () => {
    const world = withBacklog();
    runsBy(world);
    const other = invocation(world, [graph("a", world)], { owner: "other" });
    const first = letTimePass(world, pollSources(invocation(world, [graph("a", world)], { owner: "first" })));
    await vi.waitFor(() => expect(rolesOf(world)).toEqual(["tick", "backlog"]));
    arrive(world, { responseId: 5_000, completed: at(0) });
    world.time.now += MINUTE;

    const beside = await pollSources(other);

    expect(beside.ticks).toMatchObject([{ listed: 1, behind: 1 }]);
    expect(beside.ticks[0]?.isBusy).toBeUndefined();
    expect(rolesOf(world)).toEqual(["tick", "backlog", "tick", "backlog"]);
    expect(other.logger.lines.map(({ message }) => message)).not.toContain("backlog");
    await first;
    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual([...range(1, 1_500), 5_000]);
  });

  it("end with the time that is kept for bringing the state home, and the next invocation goes on", async () => {
    const world = withBacklog(6_000, 2 * SECOND);
    runsBy(world);
    const request = invocation(world, [graph("a", world)], { time: 2 * MINUTE });

    await letTimePass(world, pollSources(request));

    expect(request.remaining()).toBeGreaterThan(RESERVE / 2);
    const before = world.delivered.length;
    expect(before).toBeLessThan(6_000);
    // Nobody has to wait for a lease to run out.
    for (const role of ["tick", "backlog"] as const) {
      const lease = await world.ports.state.takeRole(role, "next", SECOND);
      expect(lease).toBeDefined();
      if (lease !== undefined) await world.ports.state.giveBackRole(lease);
    }
    expect(placeOf(world.mark(1))?.page).toBeGreaterThan(1);

    for (let i = 0; i < 20 && world.delivered.length < 6_000; i += 1) {
      await letTimePass(world, pollSources(invocation(world, [graph("a", world)], { time: 2 * MINUTE })));
    }
    expect(new Set(deliveredIds(world)).size).toBe(6_000);
    expect(world.delivered).toHaveLength(6_000);
  });

  it.each<[string, Error, object]>([
    [
      "for the whole source",
      failure("TOO_MANY_REQUESTS"),
      { level: "error", message: "backlog failed", details: { reason: "unexpected TOO_MANY_REQUESTS" } },
    ],
    [
      "of one survey alone",
      failure("SERVER_ERROR"),
      { level: "warn", message: "survey failed", details: { surveyId: 1, reason: "SERVER_ERROR" } },
    ],
    [
      "since the credentials do not work any more",
      new CredentialsMissingError("no value", { hint: "Fill it." }),
      { level: "error", message: "credentials problem", details: { code: "CREDENTIALS_MISSING" } },
    ],
  ])(
    "that fail %s are told as that, rest, and do not fail the invocation, whose tick was well",
    async (_name, error, line) => {
      const world = withBacklog();
      runsBy(world);
      world.before.push(({ operation }) => {
        if (operation === "page" && rolesOf(world).at(-1) === "backlog") throw error;
      });
      const one = graph("a", world);
      const request = invocation(world, [one]);

      expect(await letTimePass(world, pollSources(request))).toMatchObject({ ticks: [{ source: "a" }] });

      const told = request.logger.lines.filter(({ level }) => level !== "info");
      expect(told[0]).toMatchObject(line);
      // The first slice may have gone a page back: the second one has come no further.
      expect(told.slice(1)).toEqual(told.slice(1, 2).map(() => told[0]));
      expect(JSON.stringify(told)).not.toContain("jane@example.com");
      expect(one.settle).toHaveBeenCalledTimes(2);
      expect(request.remaining()).toBeGreaterThan(14 * MINUTE);
      expect(await world.ports.state.takeRole("backlog", "next", SECOND)).toBeDefined();
    },
  );
});

// R25
describe("two sources of one invocation", () => {
  it("are both ticked before a backlog is worked on, and then both backlogs at once", async () => {
    const [first, second] = [withBacklog(), withBacklog()];
    const order: string[] = [];
    for (const [name, world] of [
      ["first", first],
      ["second", second],
    ] as const) {
      world.before.push(({ operation, args }) => {
        if (operation === "takeRole") order.push(`${name}: ${args[0]}`);
        if (operation === "giveBackRole") order.push(`${name}: end of ${(args[0] as { role: string }).role}`);
      });
    }
    const request = { graphs: [graph("a", first), graph("b", second)], owner: "o", remaining, logger: memoryLog() };

    const { ticks } = await letTimePass(first, letTimePass(second, pollSources(request)));

    expect(ticks.map(({ source, behind }) => [source, behind])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(order.slice(0, 6)).toEqual([
      ...["first: tick", "first: end of tick", "second: tick", "second: end of tick"],
      ...["first: backlog", "second: backlog"],
    ]);
    for (const world of [first, second]) expect(world.delivered).toHaveLength(1_500);
  });

  it("of which one fails: the backlog of the other is worked off all the same, and the failure is thrown at the end", async () => {
    const [broken, well] = [one(), withBacklog()];
    fail(broken, "surveys", failure("ODD"));
    const request = { graphs: [graph("a", broken), graph("b", well)], owner: "o", remaining, logger: memoryLog() };
    await expect(letTimePass(well, pollSources(request))).rejects.toMatchObject({ code: "ODD" });
    expect(well.delivered).toHaveLength(1_500);
  });
});

describe("an outage of metrics", () => {
  it("is in the log, a line a tick, by its name", async () => {
    const world = worldWith([1, 2, 3].map((responseId) => ({ responseId, completed: at(responseId) })));
    fail(world, "metrics");
    const log = memoryLog();
    await pollSources({ graphs: [graph("a", world)], owner: "o", remaining, logger: log });
    expect(log.lines.filter(({ message }) => message === "outage")).toEqual([]);
    // One response may fail by itself: it is an outage once it has lasted for an interval.
    world.time.now += 60_000;
    await pollSources({ graphs: [graph("a", world)], owner: "o", remaining, logger: log });
    expect(log.lines.filter(({ message }) => message === "outage")).toEqual([
      { level: "warn", message: "outage", details: { source: "a", operation: "metrics" } },
    ]);
  });
});

// R25, R29
it("news of another survey go out within two intervals while a backlog is worked off, until its books are closed", async () => {
  const world = worldWith(range(1, 1_500).map((responseId) => ({ responseId, completed: at(-responseId) })));
  takes(world, 8 * SECOND, ({ operation, args: [surveyId] }) => operation === "page" && surveyId === 1);
  addSurvey(world, 2, [{ responseId: 5_000, completed: at(0) }]);
  runsBy(world);
  const { clock } = world.ports;
  const began = clock.now();
  const invocations: Promise<unknown>[] = [];
  const invoke = (): void => {
    const owner = `invocation-${invocations.length}`;
    invocations.push(pollSources(invocation(world, [graph("a", world)], { owner })));
  };
  const stops = [
    clock.every(15 * SECOND, () => {
      const since = clock.now() - began;
      arrive(world, { surveyId: 2, responseId: 10_000 + since, completed: at(since) });
    }),
    clock.every(MINUTE, invoke),
  ];

  invoke();
  await letTimePass(world, invocations[0] as Promise<unknown>);
  for (const stop of stops) stop();
  const ended = clock.now();
  // Those that are waited for still would be late as well.
  invoke();
  await letTimePass(world, Promise.all(invocations));

  const closed = world.told.flatMap(({ type, detail: { data } }) => (type === "books.closed" ? data.surveyId : []));
  expect(closed).toContain(1);
  expect(ended - began).toBeGreaterThan(4 * MINUTE);
  const news = world.delivered.filter(({ data }) => data.responseId >= 10_000);
  const lags = news.map(({ data, meta }) => Date.parse(meta.detectedAt) - began - (data.responseId - 10_000));
  expect(lags).toHaveLength(world.model.truth(2).length - 1);
  expect(lags.length).toBeGreaterThan(4 * 4);
  expect(Math.max(...lags)).toBeLessThanOrEqual(2 * MINUTE);
});
