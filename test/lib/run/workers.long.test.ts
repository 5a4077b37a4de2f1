import { randomUUID } from "node:crypto";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../../lib/config/index.ts";
import { secretNames } from "../../../lib/config/secret-names.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../lib/local/simulator/index.ts";
import type { Log } from "../../../lib/monitoring/log.ts";
import type { State } from "../../../lib/polling/index.ts";
import { pollSources, RESERVE } from "../../../lib/run/poll-sources.ts";
import { createSourceGraph, eventsOf, type SourceGraph } from "../../../lib/run/wiring.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { createShared, type Shared } from "../../../lib/state/shared.ts";
import { useAws } from "../support/aws.ts";
import { memoryLog } from "../support/log.ts";

const test = useAws();
const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const HIDDEN = "hunter2-of-the-client";

interface Account {
  simulator: Simulator;
  shared: Shared;
  state: State;
  /** One more process of the same source, with nothing in its memory. */
  worker: () => SourceGraph;
  /** Puts a value into the credentials secret. */
  fill: (value: string) => Promise<void>;
  /** What the secret has to hold. */
  right: string;
}

/** A service, a table item and secrets of its own, and workers over them wired as in the functions. */
async function account(options: SimulatorOptions = {}, settings: Record<string, unknown> = {}): Promise<Account> {
  const made = await emptyAccount(options, settings);
  await made.fill(made.right);
  return made;
}

/** The same as it is straight after a deployment: nobody has filled the credentials secret. */
async function emptyAccount(options: SimulatorOptions = {}, settings: Record<string, unknown> = {}): Promise<Account> {
  const simulator = await startSimulator({ surveys: [{ surveyId: 1, responses: 3 }], ...options });
  onTestFinished(() => simulator.close());
  const name = `s${randomUUID().slice(0, 8)}`;
  const naming = { prefix: "workers" };
  const secrets = secretNames({ name }, naming);
  for (const Name of Object.values(secrets)) await test.clients.secrets.send(new CreateSecretCommand({ Name }));
  const { clientId, clientSecret } = simulator;
  const [source] = parseConfig(
    { name, baseUrl: simulator.url, startFrom: "beginning", ...settings },
    { deployed: false },
  ).sources;
  if (source === undefined) throw new Error("no source");
  const environment = {
    tableName: test.table,
    busName: test.bus,
    claimCheckBucket: test.bucket,
    alone: false,
    secrets: naming,
  };
  const polled = {
    ...source,
    events: eventsOf({
      "response.updated": true,
      "response.deleted": true,
      "books.closed": true,
      "survey.changed": false,
      "survey.counted": false,
    }),
  };
  const table = { client: test.clients.dynamodb, name: test.table };
  return {
    simulator,
    right: JSON.stringify({ clientId, clientSecret }),
    async fill(SecretString) {
      await test.clients.secrets.send(new PutSecretValueCommand({ SecretId: secrets.credentials, SecretString }));
    },
    state: createDynamoState(table, name),
    shared: createShared(table, name, { now: Date.now, sleep: async () => {} }),
    worker: () =>
      createSourceGraph(polled, environment, {
        ...test.clients,
        s3: async () => test.clients.s3,
      }),
  };
}

const invoke = (graph: SourceGraph, logger: Log = silent) =>
  pollSources({ graphs: [graph], owner: randomUUID(), remaining: () => 60_000, logger });
const poll = async (graph: SourceGraph) => (await invoke(graph)).ticks[0];

describe("workers of one source", () => {
  it("that start at once ask for one token, and for one more when it is revoked", async () => {
    const { simulator, worker } = await account();
    const workers = Array.from({ length: 4 }, () => worker());
    const ask = async (graph: SourceGraph): Promise<void> => {
      await graph.begin(Date.now() + 60_000).service.surveys();
      await graph.settle();
    };
    await Promise.all(workers.map(ask));
    expect(simulator.counters().token).toBe(1);

    simulator.revokeToken();
    await Promise.all([...workers, worker()].map(ask));

    expect(simulator.counters().token).toBe(2);
  });

  it("leave the service alone as long as one of them was told to", async () => {
    const { simulator, worker } = await account();
    await poll(worker());
    simulator.fault({ kind: "status", status: 429, retryAfter: 120, operation: "surveys", count: 1 });
    const begun = Date.now();
    await expect(poll(worker())).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    simulator.resetCounters();

    const summary = await poll(worker());

    expect(summary).toMatchObject({ listed: 0, surveys: [], unpolled: 0 });
    expect(summary?.pausedUntil).toBeGreaterThanOrEqual(begun + 120_000);
    expect(summary?.pausedUntil).toBeLessThan(Date.now() + 120_000);
    expect(simulator.counters().requests ?? 0).toBe(0);
  });

  it("tell each other the rate that the service allows", async () => {
    const { simulator, worker, state } = await account();
    simulator.fault({ kind: "status", status: 429, operation: "surveys", count: 1 });
    await poll(worker());
    expect((await state.account()).learned).toMatchObject({
      requestsPerSecond: expect.any(Number),
    });
  });

  it("keep to a rate that one of them has learned from their first request on", async () => {
    const { simulator, worker, shared } = await account();
    await shared.saveLearned({ requestsPerSecond: 50, at: Date.now() });
    await poll(worker());
    const log = simulator.log();
    const seconds = ((log.at(-1)?.at ?? 0) - (log[0]?.at ?? 0)) / 1_000;
    expect(log.length).toBeGreaterThan(8);
    // The rate is raised a little while it is used up.
    expect((log.length - 1) / seconds).toBeLessThan(60);
  });

  it("that have nothing to do and nothing to tell ask the table for one query, and two writes for the lease of the tick", async () => {
    const { worker, shared } = await account();
    await shared.saveLearned({ requestsPerSecond: 200, at: Date.now() });
    const graph = worker();
    await poll(graph);
    const before = test.aws.counters();

    await poll(graph);

    const after = test.aws.counters();
    const asked = Object.keys(after)
      .filter((name) => name.startsWith("dynamodb:"))
      .map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(asked)).toEqual({ "dynamodb:Query": 1, "dynamodb:UpdateItem": 2 });
  });
});

describe("news before a backlog", () => {
  it("within a process: whatever a backlog asks waits behind them", async () => {
    const { simulator, worker } = await account({}, { advanced: { concurrency: 1 } });
    const { service, backlog } = worker().begin(Date.now() + 60_000);
    if (backlog === undefined) throw new Error("nothing is asked for a backlog");
    await service.surveys();
    simulator.fault({ kind: "latency", ms: 5 });
    const answered: string[] = [];
    const asked = (what: string, request: Promise<unknown>): Promise<unknown> =>
      request.then(() => answered.push(what));
    const requests = [
      asked("first", backlog.page(1, 1, "asc")),
      asked("page of the backlog", backlog.page(1, 2, "asc")),
      asked("metrics of the backlog", backlog.metrics(1, 1)),
      asked("page of news", service.page(1, 1, "desc")),
      asked("metrics of news", service.metrics(1, 1)),
    ];
    await Promise.all(requests);
    expect(answered.slice(0, 3).sort()).toEqual(["first", "metrics of news", "page of news"]);
  });
});

// R26
describe("an invocation whose time is over", () => {
  const HANGS = { kind: "latency", ms: 120_000 } as const;

  it("aborts what it has asked for, asks for nothing more, and leaves the next part of it alone", async () => {
    const { simulator, worker } = await account();
    const graph = worker();
    await poll(graph);
    simulator.fault({ ...HANGS, count: 1 });
    simulator.resetCounters();
    const began = Date.now();
    const { service, backlog = service } = graph.begin(began + 200);

    const outcomes = await Promise.allSettled([service.page(1, 1, "desc"), backlog.metrics(1, 1), service.surveys()]);
    const took = Date.now() - began;

    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(failures).toMatchObject([{ code: "OUT_OF_TIME" }]);
    expect(took).toBeGreaterThanOrEqual(195);
    expect(took).toBeLessThan(20_000);
    const { requests } = simulator.counters();
    await expect(service.metadata(1, 1)).rejects.toMatchObject({ code: "OUT_OF_TIME" });
    expect(simulator.counters().requests).toBe(requests);
    await graph.settle();

    const next = graph.begin(Date.now() + 60_000);
    expect(await next.service.surveys()).toHaveLength(1);
    await graph.settle();
  });

  it("ends in time and is no failure, and the next one goes on", async () => {
    const { simulator, worker } = await account(
      {},
      { advanced: { timeouts: { connect: "100ms", response: "1500ms" } } },
    );
    const graph = worker();
    const clear = simulator.fault({ ...HANGS, operation: "responses-order" });
    const log = memoryLog();
    const end = Date.now() + RESERVE + 2_500;
    const request = { graphs: [graph], owner: "slow", remaining: () => end - Date.now(), logger: log };

    const { ticks } = await pollSources(request);

    // Something was on its way until then, and nothing after it.
    expect(request.remaining()).toBeLessThanOrEqual(RESERVE);
    expect(request.remaining()).toBeGreaterThan(RESERVE / 2);
    expect(ticks).toMatchObject([{ listed: 1, surveys: [], unpolled: 1 }]);
    expect(log.lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
    const { state } = graph.begin(0);
    expect(await state.account()).toMatchObject({
      lastTick: expect.any(Number),
      listedAt: expect.any(Number),
    });

    clear();
    // The backlog that it has left is worked off by the same invocation that ticks next.
    expect(await poll(worker())).toMatchObject({ surveys: [{ outcome: "polled", unfinished: true }], behind: 1 });
    expect(test.events.filter((event) => event["detail-type"] === "response.completed")).toHaveLength(3);
    expect(await poll(worker())).toMatchObject({ surveys: [{ unfinished: false }], behind: 0 });
  });
});

describe("a credentials secret", () => {
  it("that nobody has filled, or with something else, is told once by a code of its own, and its value used by the first tick after it is right", async () => {
    const { simulator, worker, fill, right } = await emptyAccount();
    const graph = worker();
    const log = memoryLog();
    const problems: unknown[] = [];
    const twice = async () => {
      for (let i = 0; i < 2; i += 1) problems.push((await invoke(graph, log)).blocked?.[0]?.kind);
    };
    await twice();
    await fill(HIDDEN);
    await twice();
    expect(problems).toEqual(["missing", "missing", "unreadable", "unreadable"]);
    expect(log.lines.map(({ details }) => details.code)).toEqual(["CREDENTIALS_MISSING", "CREDENTIALS_UNREADABLE"]);
    expect(log.lines[0]?.details.hint).toContain("npx survey-poller credentials");
    expect(JSON.stringify(log.lines)).not.toContain("hunter2");
    expect(simulator.counters().requests ?? 0).toBe(0);

    await fill(right);
    const { ticks, blocked } = await invoke(graph, log);

    expect(blocked).toBeUndefined();
    expect(ticks).toMatchObject([{ listed: 1, surveys: [{ outcome: "polled" }] }]);
    expect(log.lines.filter(({ message }) => message === "credentials work")).toHaveLength(1);
  });

  it("that holds what the service refuses costs one request a tick, and is told once", async () => {
    const { simulator, worker, fill } = await emptyAccount();
    await fill(JSON.stringify({ clientId: "me", clientSecret: HIDDEN }));
    const log = memoryLog();

    // Two processes: one that was refused does not ask again for ten seconds.
    const outputs = [await invoke(worker(), log), await invoke(worker(), log)];

    for (const { blocked } of outputs) expect(blocked).toMatchObject([{ kind: "rejected", code: "WRONG_CREDENTIALS" }]);
    expect(simulator.counters()).toMatchObject({ requests: 2, token: 2 });
    expect(log.lines).toHaveLength(1);
    expect(JSON.stringify([outputs, log.lines])).not.toContain("hunter2");
  });
});
