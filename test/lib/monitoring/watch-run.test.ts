import { describe, expect, it, vi } from "vitest";
import { type MonitoringLevel, NAMESPACE, writtenBy } from "../../../lib/monitoring/catalog.ts";
import { pollScheduled } from "../../../lib/run/poll-scheduled.ts";
import { pollSources } from "../../../lib/run/poll-sources.ts";
import { requestChannel } from "../../../lib/survey-api/diagnostics.ts";
import { CredentialsMissingError } from "../../../lib/survey-api/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  arrive,
  at,
  fail,
  failure,
  letTimePass,
  MINUTE,
  noon,
  range,
  SECOND,
  takes,
  worldWith,
} from "../../support/survey.ts";
import { type MemoryGraph, memoryGraph } from "../support/graph.ts";
import { memoryLog } from "../support/log.ts";
import { type MetricsLine, metricsOf } from "./support/embedded-metrics.ts";

interface Run {
  line: MetricsLine | undefined;
  lines: MetricsLine[];
  /** Without the lines of events: event-lines.test.ts looks at these. */
  log: ReturnType<typeof memoryLog>["lines"];
}

/** One tick, or what is left of one that fails. */
async function tickOf(graph: MemoryGraph, level?: MonitoringLevel): Promise<Run> {
  const logger = memoryLog();
  const request = { graphs: [graph], owner: "o", remaining: () => 60_000, logger, ...(level && { level }) };
  const lines = await metricsOf(() => pollScheduled(request));
  return { line: lines[0], lines, log: logger.lines.filter(({ message }) => message !== "event") };
}

/** A source after its first tick, a minute before noon: what comes now is news. */
async function polled(fields: Record<string, unknown> = {}) {
  const world = worldWith([{ responseId: 1, completed: at(-60 * MINUTE) }]);
  world.time.now = noon - MINUTE;
  const graph = memoryGraph(world, fields);
  await tickOf(graph);
  world.time.now = noon;
  return { world, graph };
}

describe("the catalog", () => {
  it("has at most six series a source by default, each with a name of its own", () => {
    expect(writtenBy("minimal")).toHaveLength(6);
    const names = writtenBy("full").map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("the metrics of a tick", () => {
  it("are in one line, with the dimensions of an alarm, the units of the catalog, and nothing else", async () => {
    vi.stubEnv("POWERTOOLS_SERVICE_NAME", "Surveys-Poller");
    const { world, graph } = await polled();
    arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
    arrive(world, { responseId: 3, completed: at(-10 * SECOND) });

    const { lines } = await tickOf(graph);
    vi.unstubAllEnvs();

    expect(lines).toEqual([
      {
        dimensions: { service: "Surveys-Poller", source: "main" },
        units: { CredentialsProblem: "Count", Stalled: "Milliseconds", Emitted: "Count", DetectionLag: "Milliseconds" },
        values: { CredentialsProblem: [0], Stalled: [0], Emitted: [2], DetectionLag: [10 * SECOND, 30 * SECOND] },
      },
    ]);
    expect(NAMESPACE).toBe("SurveyPoller");
  });

  it("of an idle one are no more than that it was made, and that nothing stands still", async () => {
    const { graph } = await polled();
    expect((await tickOf(graph)).line?.values).toEqual({ CredentialsProblem: [0], Stalled: [0] });
  });

  it("never are more than the six of the catalog, whatever happens, and all of it with full", async () => {
    const names = async (level: MonitoringLevel): Promise<Set<string>> => {
      const { world, graph } = await polled();
      world.counts.set(1, { responses: 9 });
      arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
      arrive(world, { responseId: 3, completed: at(-20 * SECOND), fields: { completed: "perhaps" } });
      const first = await tickOf(graph, level);
      world.account.pausedUntil = world.time.now + 90_000;
      const second = await tickOf(graph, level);
      return new Set([first, second].flatMap(({ line }) => Object.keys(line?.values ?? {})));
    };
    const written = (level: MonitoringLevel) => new Set(writtenBy(level).map(({ name }) => name));
    expect(await names("minimal")).toEqual(written("minimal"));
    expect(await names("full")).toEqual(written("full"));
  });

  it("have the events of a tick that failed after it had published them", async () => {
    const { world, graph } = await polled();
    arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
    fail(world, "saveAccount", failure("TABLE_BUSY"));

    const { line, log } = await tickOf(graph);

    expect(line?.values).toEqual({ Emitted: [1], DetectionLag: [30 * SECOND] });
    expect(log).toMatchObject([{ level: "error", message: "tick failed", details: { code: "TABLE_BUSY" } }]);
  });

  it("count the requests to the service by their outcome, of this run alone", async () => {
    const { world, graph } = await polled();
    const request = (status: number | undefined): void =>
      requestChannel.publish({ operation: "get survey list", status, duration: 1, attempt: 1 });
    request(500);
    world.before.push(({ operation }) => {
      if (operation === "surveys") for (const status of [200, 429, 429, 503, undefined, 404]) request(status);
    });
    const { line } = await tickOf(graph, "full");
    request(500);
    expect(line?.values).toMatchObject({ Requests: [6], RequestsThrottled: [2], RequestsFailed: [2] });
    expect(requestChannel.hasSubscribers).toBe(false);
  });
});

describe("one cause, one alarm", () => {
  const fails = (error: object) => (world: MemoryWorld) => fail(world, "surveys", error);
  const pausedFor = (more: object) => (world: MemoryWorld) =>
    void Object.assign(world.account, { pausedUntil: world.time.now + 90_000, ...more });
  const credentials = { CredentialsProblem: [1] };
  const throttled = { CredentialsProblem: [0], Throttled: [1] };

  it.each<[string, (world: MemoryWorld) => void, object]>([
    ["there are no credentials", fails(new CredentialsMissingError("none")), credentials],
    ["they cannot be read", fails(new CredentialsMissingError("odd", { isUnreadable: true })), credentials],
    ["the service rejects them", fails({ code: "WRONG_CREDENTIALS" }), credentials],
    ["what they open is closed", fails({ code: "WRONG_TOKEN" }), credentials],
    ["the service's limit ends the tick", fails({ code: "TOO_MANY_REQUESTS" }), throttled],
    ["the service's pause ends it before it begins", pausedFor({}), throttled],
    ["an operator has paused the source", pausedFor({ pausedSince: noon }), { CredentialsProblem: [0] }],
  ])("%s: no tick is missing, and no other alarm is raised", async (_what, prepare, values) => {
    const { world, graph } = await polled();
    prepare(world);
    expect((await tickOf(graph)).line?.values).toEqual(values);
  });

  it("one that another invocation does is not counted as made: the other one may fail, and it would hide that", async () => {
    const { world, graph } = await polled();
    await world.ports.state.takeRole("tick", "another", MINUTE);
    await world.ports.state.takeRole("backlog", "a third", MINUTE);
    arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
    world.time.now += 10 * SECOND;
    const { lines, log } = await tickOf(graph, "full");
    expect(lines.map(({ values }) => values)).toEqual([{ Requests: [0], RequestsThrottled: [0], RequestsFailed: [0] }]);
    expect((await tickOf(graph)).lines).toEqual([]);
    expect(log).toEqual([
      { level: "info", message: "left: another invocation does the tick", details: { source: "main" } },
    ]);
  });

  it("a tick that fails otherwise writes nothing of its end: it is missing", async () => {
    const { world, graph } = await polled();
    fail(world, "surveys", failure("UNREACHABLE"));
    const { lines } = await tickOf(graph);
    expect(lines).toEqual([]);
  });

  it("a scheduled tick that fails is told, and not thrown into the dead-letter queue; one by hand is thrown", async () => {
    const { world, graph } = await polled();
    fail(world, "surveys", failure("UNREACHABLE"));
    const request = { graphs: [graph], owner: "o", remaining: () => 60_000, logger: memoryLog() };
    expect(await pollScheduled(request)).toMatchObject({ ticks: [], failed: { code: "UNREACHABLE" } });
    await expect(pollSources(request)).rejects.toMatchObject({ code: "UNREACHABLE" });
  });
});

describe("the metrics of a round of catching up", () => {
  it("have its events and their lag in the same series, and nothing that tells of ticks", async () => {
    const { world, graph } = await polled({ advanced: { headPages: 2 } });
    const before = world.delivered.length;
    for (const responseId of range(2, 1_500)) arrive(world, { responseId, completed: at((responseId - 1_600) * 10) });
    takes(world, 2 * SECOND, ({ operation }) => operation === "page");

    const { lines, log } = await letTimePass(world, tickOf(graph));

    const [ofTick, round, ...others] = lines;
    expect(others).toEqual([]);
    expect(Object.keys(ofTick?.values ?? {})).toContain("Stalled");
    expect(Object.keys(round?.values ?? {}).sort()).toEqual(["DetectionLag", "Emitted"]);
    expect(round?.dimensions).toMatchObject({ source: "main" });
    expect(Number(ofTick?.values.Emitted) + Number(round?.values.Emitted)).toBe(world.delivered.length - before);
    expect(round?.values.DetectionLag?.length).toBeLessThanOrEqual(99);
    expect(log).toMatchObject([
      { message: "tick", details: { emitted: Number(ofTick?.values.Emitted), behind: 1 } },
      {
        message: "backlog",
        details: { surveys: 1, emitted: Number(round?.values.Emitted), lag: { worst: expect.any(Number) } },
      },
    ]);
  });

  it("tell of a backlog that fails: of the survey at once, and by its age at the ticks that follow", async () => {
    const { world, graph } = await polled({ advanced: { headPages: 2 } });
    for (const responseId of range(2, 1_500)) arrive(world, { responseId, completed: at((responseId - 1_600) * 10) });
    takes(world, 2 * SECOND, ({ operation }) => operation === "page");
    let isCatchUp = false;
    world.before.push(({ operation, args }) => {
      if (operation === "takeRole") isCatchUp = args[0] === "backlog";
      if (operation === "page" && isCatchUp) throw Object.assign(new Error("x"), { code: "SERVER_ERROR" });
    });

    const { lines, log } = await letTimePass(world, tickOf(graph, "full"));
    const failedAt = world.time.now;
    expect(lines[0]?.values).toMatchObject({ SurveysFailed: [0], Stalled: [0] });
    expect(lines[1]?.values).toMatchObject({ SurveysFailed: [1] });
    expect(log).toContainEqual({
      level: "warn",
      message: "survey failed",
      details: { source: "main", surveyId: 1, code: "SERVER_ERROR", reason: "SERVER_ERROR" },
    });

    world.time.now += 31 * MINUTE;
    const later = await letTimePass(world, tickOf(graph));
    expect(Number(later.lines[0]?.values.Stalled)).toBeGreaterThanOrEqual(31 * MINUTE);
    expect(Number(later.lines[0]?.values.Stalled)).toBeLessThanOrEqual(world.time.now - failedAt + MINUTE);
    world.before.length = 0;
    await letTimePass(world, tickOf(graph));
    expect((await letTimePass(world, tickOf(graph))).line?.values.Stalled).toEqual([0]);
  });
});

describe("the log of a tick", () => {
  it("has one line for one with news, with what a level leaves out of the metrics", async () => {
    const { world, graph } = await polled();
    arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
    const { log } = await tickOf(graph);
    expect(log).toEqual([
      {
        level: "info",
        message: "tick",
        details: {
          source: "main",
          listed: 1,
          polled: 1,
          emitted: 1,
          waiting: 0,
          quarantined: 0,
          refused: 0,
          held: 0,
          lag: { median: 30 * SECOND, worst: 30 * SECOND },
          requests: { all: 0, throttled: 0, failed: 0 },
          behind: 0,
          stalled: 0,
          figures: expect.objectContaining({ unaccounted: 0, oldestBooks: expect.any(Number) }),
        },
      },
    ]);
  });

  it("has one for rows of the survey list without an id, and the age of what stands still tells of them too", async () => {
    const { world, graph } = await polled();
    const { surveys } = world.ports.service;
    world.ports.service.surveys = async () => [...(await surveys()), { id: 2 }];
    const { log } = await tickOf(graph);
    expect(log.filter(({ level }) => level === "warn")).toEqual([
      { level: "warn", message: "unreadable surveys", details: { source: "main", count: 1 } },
    ]);
    world.time.now += 31 * MINUTE;
    expect((await tickOf(graph)).line?.values.Stalled).toEqual([31 * MINUTE]);
  });

  it("names a survey whose pages are not there, though responses of it are counted", async () => {
    const world = worldWith([]);
    world.counts.set(1, { responses: 12, correct: 12 });
    const { log } = await tickOf(memoryGraph(world, {}));
    expect(log).toContainEqual({
      level: "warn",
      message: "survey shows too few",
      details: { source: "main", surveyId: 1, shown: 0 },
    });
  });

  it("has none for an idle one but in the first of an hour, whichever process makes it", async () => {
    const { world, graph } = await polled();
    const told: string[] = [];
    for (let minute = 0; minute < 180; minute += 1) {
      world.time.now = noon + minute * MINUTE;
      // Each tick as a new process would make it.
      const { log } = await tickOf({ ...graph, source: { ...graph.source } });
      for (const { message } of log) told.push(`${message} ${minute}`);
    }
    expect(told).toEqual(["idle 0", "idle 60", "idle 120"]);
  });
});

describe("responses whose contents nothing proves", () => {
  // R6
  it("are counted in the line of the tick from which on they are held, and in no other", async () => {
    const { world, graph } = await polled();
    const { service } = world.ports;
    const { page } = service;
    // Page 2 reads otherwise at each read, so that nothing proves a response across its edges.
    let read = 0;
    for (const responseId of range(2, 101)) arrive(world, { responseId, completed: at(-60 * SECOND), size: 3 });
    service.response = async () => ({ kind: "absent" });
    service.page = async (surveyId, number, order) => {
      const shown = await page(surveyId, number, order);
      read += 1;
      if (number === 1 || shown.kind === "none") return shown;
      return { ...shown, records: shown.records.map((record) => ({ ...(record as object), score: read })) };
    };
    const held: unknown[] = [];
    for (let minute = 1; minute <= 5; minute += 1) {
      const { log } = await tickOf(graph);
      held.push(log.find(({ message }) => message === "tick")?.details.held ?? 0);
      world.time.now += MINUTE;
    }
    const holds = world.entries(1).filter(({ state, attempts = 0 }) => state === "held" && attempts >= 3);
    expect(holds.length).toBeGreaterThan(0);
    // A tick may poll a survey twice.
    expect(held.reduce((sum: number, count) => sum + Number(count), 0)).toBe(holds.length);
  });
});
