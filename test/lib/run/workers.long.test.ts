import { randomUUID } from "node:crypto";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../../lib/config/index.ts";
import { secretNames } from "../../../lib/config/secret-names.ts";
import { startSimulator } from "../../../lib/local/simulator/index.ts";
import { pollSources } from "../../../lib/run/poll-sources.ts";
import { createSourceGraph, eventsOf, type SourceGraph } from "../../../lib/run/wiring.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { createShared } from "../../../lib/state/shared.ts";
import { useAws } from "../support/aws.ts";
import { memoryLog } from "../support/log.ts";

const test = useAws();

/** A service, a table item and secrets of its own, and workers over them wired as in the functions. `worker`: one more process, with nothing in its memory. */
async function account(settings: Record<string, unknown> = {}) {
  const simulator = await startSimulator({ surveys: [{ surveyId: 1, responses: 3 }] });
  onTestFinished(() => simulator.close());
  const name = `s${randomUUID().slice(0, 8)}`;
  const naming = { prefix: "workers" };
  const secrets = secretNames({ name }, naming);
  for (const Name of Object.values(secrets)) await test.clients.secrets.send(new CreateSecretCommand({ Name }));
  const { clientId, clientSecret } = simulator;
  const SecretString = JSON.stringify({ clientId, clientSecret });
  await test.clients.secrets.send(new PutSecretValueCommand({ SecretId: secrets.credentials, SecretString }));
  const { sources, events } = parseConfig(
    { name, baseUrl: simulator.url, startFrom: "beginning", ...settings },
    { deployed: false },
  );
  const [source] = sources;
  if (source === undefined) throw new Error("no source");
  const names = { tableName: test.table, busName: test.bus, claimCheckBucket: test.bucket };
  const table = { client: test.clients.dynamodb, name: test.table };
  return {
    simulator,
    state: createDynamoState(table, name),
    shared: createShared(table, name, { now: Date.now, sleep: async () => {} }),
    worker: () =>
      createSourceGraph(
        { ...source, events: eventsOf(events) },
        { ...names, alone: false, secrets: naming },
        { ...test.clients, s3: async () => test.clients.s3 },
      ),
  };
}

async function poll(graph: SourceGraph) {
  const request = { graphs: [graph], owner: randomUUID(), remaining: () => 60_000, logger: memoryLog() };
  const { ticks } = await pollSources(request);
  return ticks[0];
}

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
    expect((await state.account()).learned).toMatchObject({ requestsPerSecond: expect.any(Number) });
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
    const { simulator, worker } = await account({ advanced: { concurrency: 1 } });
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
  it("aborts what it has asked for, asks for nothing more, and leaves the next part of it alone", async () => {
    const { simulator, worker } = await account();
    const graph = worker();
    await poll(graph);
    simulator.fault({ kind: "latency", ms: 120_000, count: 1 });
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
});
