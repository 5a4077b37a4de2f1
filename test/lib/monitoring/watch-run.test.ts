import { describe, expect, it, vi } from "vitest";
import { parseConfig } from "../../../lib/config/index.ts";
import { type MonitoringLevel, metrics, NAMESPACE, writtenBy } from "../../../lib/monitoring/catalog.ts";
import { placeOf } from "../../../lib/polling/model/phase.ts";
import { pollScheduled, pollSources } from "../../../lib/run/poll-sources.ts";
import { runSlices } from "../../../lib/run/slices/run-slices.ts";
import { requestChannel } from "../../../lib/survey-api/diagnostics.ts";
import { CredentialsMissingError } from "../../../lib/survey-api/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { arrive, at, MINUTE, noon, range, SECOND, surveyOf, takes, worldWith } from "../../support/survey.ts";
import { memoryLog } from "../support/log.ts";
import { type MetricsLine, metricsOf } from "./support/embedded-metrics.ts";

function graphOf(world: MemoryWorld, fields: Record<string, unknown> = {}) {
  const [source] = parseConfig(
    { baseUrl: "https://surveys.example.com", startFrom: "beginning", timeZone: "UTC", ...fields },
    { deployed: true },
  ).sources;
  if (source === undefined) throw new Error("no source");
  return { source, ports: world.ports, service: "service-1", settle: vi.fn(async () => {}) };
}

interface Run {
  line: MetricsLine | undefined;
  lines: MetricsLine[];
  log: ReturnType<typeof memoryLog>["lines"];
}

/** One tick, or what is left of one that fails. */
async function tickOf(graph: ReturnType<typeof graphOf>, level?: MonitoringLevel): Promise<Run> {
  const logger = memoryLog();
  const request = { graphs: [graph], owner: "o", remaining: () => 60_000, logger, ...(level && { level }) };
  const lines = await metricsOf(() => pollScheduled(request));
  return { line: lines[0], lines, log: logger.lines };
}

/** A source after its first tick, a minute before noon: what comes now is news. */
async function polled(fields: Record<string, unknown> = {}) {
  const world = worldWith([{ responseId: 1, completed: at(-60 * MINUTE) }]);
  world.time.now = noon - MINUTE;
  const graph = graphOf(world, fields);
  await tickOf(graph);
  world.time.now = noon;
  return { world, graph };
}

const failWith = (world: MemoryWorld, operation: string, code: string): void =>
  void world.before.push((call) => {
    if (call.operation === operation) throw Object.assign(new Error("x"), { code });
  });

describe("the catalog", () => {
  it("has at most six series a source by default, each with a name of its own", () => {
    expect(writtenBy("minimal").map(({ name }) => name)).toEqual([
      "CredentialsProblem",
      "DetectionLag",
      "Emitted",
      "Throttled",
      "Withheld",
      "Stalled",
    ]);
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
      surveyOf(world).counts.responses = 9;
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
    failWith(world, "saveAccount", "TABLE_BUSY");

    const { line, log } = await tickOf(graph);

    expect(line?.values).toEqual({ Emitted: [1], DetectionLag: [30 * SECOND] });
    expect(log).toMatchObject([{ level: "error", message: "tick failed", details: { code: "TABLE_BUSY" } }]);
  });

  it("count what was put into quarantine", async () => {
    const { world, graph } = await polled();
    arrive(world, { responseId: 2, completed: at(-30 * SECOND), fields: { completed: "perhaps" } });
    expect((await tickOf(graph)).line?.values).toMatchObject({ Withheld: [1] });
  });

  it("tell for how long a survey has been failing", async () => {
    const { world, graph } = await polled();
    arrive(world, { responseId: 2, completed: at(0) });
    failWith(world, "page", "TIMEOUT");
    expect((await tickOf(graph)).line?.values.Stalled).toEqual([0]);
    world.time.now += 31 * MINUTE;
    expect((await tickOf(graph)).line?.values.Stalled).toEqual([31 * MINUTE]);
    world.before.length = 0;
    expect((await tickOf(graph)).line?.values.Stalled).toEqual([0]);
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
  it.each<[string, Error]>([
    ["that there are none", new CredentialsMissingError("none")],
    ["that they cannot be read", new CredentialsMissingError("odd", { isUnreadable: true })],
    ["that the service rejects them", Object.assign(new Error("x"), { code: "WRONG_CREDENTIALS" })],
    ["that what they open is closed", Object.assign(new Error("x"), { code: "WRONG_TOKEN" })],
  ])("%s is a credentials problem, and no missing tick", async (_what, error) => {
    const { world, graph } = await polled();
    world.before.push(({ operation }) => {
      if (operation === "surveys") throw error;
    });
    expect((await tickOf(graph)).line?.values).toEqual({ CredentialsProblem: [1] });
  });

  it("a tick that the service's limit ends is throttled, and no missing tick", async () => {
    const { world, graph } = await polled();
    failWith(world, "surveys", "TOO_MANY_REQUESTS");
    expect((await tickOf(graph)).line?.values).toEqual({ CredentialsProblem: [0], Throttled: [1] });
  });

  it("so is one that the service's pause ends before it begins", async () => {
    const { world, graph } = await polled();
    world.account.pausedUntil = world.time.now + 90_000;
    expect((await tickOf(graph)).line?.values).toEqual({ CredentialsProblem: [0], Throttled: [1] });
  });

  it("a tick that fails otherwise writes nothing of its end: it is missing", async () => {
    const { world, graph } = await polled();
    failWith(world, "surveys", "UNREACHABLE");
    const { lines } = await tickOf(graph);
    expect(lines).toEqual([]);
  });

  it("a scheduled tick that fails is told, and not thrown into the dead-letter queue; one by hand is thrown", async () => {
    const { world, graph } = await polled();
    failWith(world, "surveys", "UNREACHABLE");
    const request = { graphs: [graph], owner: "o", remaining: () => 60_000, logger: memoryLog() };
    expect(await pollScheduled(request)).toMatchObject({ ticks: [], failed: { code: "UNREACHABLE" } });
    await expect(pollSources(request)).rejects.toMatchObject({ code: "UNREACHABLE" });
  });
});

describe("the metrics of a slice", () => {
  it("have its events and their lag in the same series, and nothing that tells of ticks", async () => {
    const { world, graph } = await polled({ headPages: 2 });
    world.ports.slices = { send: async () => {} };
    for (const responseId of range(2, 1_500)) arrive(world, { responseId, completed: at((responseId - 1_600) * 10) });
    takes(world, SECOND, ({ operation }) => operation === "page");
    await tickOf(graph);
    expect(placeOf(world.mark(1))).toBeDefined();
    const before = world.delivered.length;

    const logger = memoryLog();
    const body = JSON.stringify({ source: "main", surveyId: 1, until: world.time.now + MINUTE });
    const request = { graphs: [graph], messages: [{ messageId: "m", body }], owner: "w", remaining: () => 300_000 };
    const [line, ...others] = await metricsOf(() => runSlices({ ...request, logger }));

    expect(others).toEqual([]);
    expect(Object.keys(line?.values ?? {}).sort()).toEqual(["DetectionLag", "Emitted"]);
    expect(line?.dimensions).toMatchObject({ source: "main" });
    expect(line?.values.Emitted).toEqual([world.delivered.length - before]);
    expect(line?.values.DetectionLag?.length).toBeLessThanOrEqual(99);
    expect(logger.lines).toMatchObject([{ message: "slice", details: { lag: { worst: expect.any(Number) } } }]);
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
          catchingUp: 0,
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

describe("every name", () => {
  it("of the catalog is upper camel case, as CloudWatch's own are", () => {
    for (const { name } of Object.values(metrics)) expect(name).toMatch(/^([A-Z][a-z]+)+$/);
  });
});
