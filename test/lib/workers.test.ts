import { randomUUID } from "node:crypto";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../lib/config.ts";
import { type Log, pollSources } from "../../lib/poll-sources.ts";
import { createShared, type Shared } from "../../lib/state/shared.ts";
import { createSourceGraph, type SourceGraph } from "../../lib/wiring.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../local/simulator/index.ts";
import { useAws } from "./support/aws.ts";

const test = useAws();
const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

interface Account {
  simulator: Simulator;
  shared: Shared;
  /** One more process of the same source, with nothing in its memory. */
  worker: () => SourceGraph;
}

/** A service, a table item and secrets of its own, and workers over them wired as in the functions. */
async function account(options: SimulatorOptions = {}): Promise<Account> {
  const simulator = await startSimulator({ surveys: [{ surveyId: 1, responses: 3 }], ...options });
  onTestFinished(() => simulator.close());
  const name = `s${randomUUID().slice(0, 8)}`;
  const secrets = { credentials: `${name}-credentials`, token: `${name}-token` };
  for (const Name of Object.values(secrets)) await test.clients.secrets.send(new CreateSecretCommand({ Name }));
  const { clientId, clientSecret } = simulator;
  await test.clients.secrets.send(
    new PutSecretValueCommand({
      SecretId: secrets.credentials,
      SecretString: JSON.stringify({ clientId, clientSecret }),
    }),
  );
  const [source] = parseConfig({ name, baseUrl: simulator.url, startFrom: "beginning" }, { deployed: false }).sources;
  if (source === undefined) throw new Error("no source");
  const environment = {
    tableName: test.table,
    busName: test.bus,
    claimCheckBucket: test.bucket,
    secrets: { [name]: secrets },
    configFile: "",
  };
  const table = { client: test.clients.dynamodb, name: test.table };
  return {
    simulator,
    shared: createShared(table, name, { now: Date.now, sleep: async () => {} }),
    worker: () => createSourceGraph(source, environment, test.clients),
  };
}

const poll = async (graph: SourceGraph) => {
  const request = { graphs: [graph], owner: randomUUID(), remaining: () => 60_000, logger: silent };
  return (await pollSources(request)).ticks[0];
};

describe("workers of one source", () => {
  it("that start at once ask for one token, and for one more when it is revoked", async () => {
    const { simulator, worker, shared } = await account();
    const workers = Array.from({ length: 4 }, worker);
    await Promise.all(workers.map(poll));
    expect(simulator.counters().token).toBe(1);

    simulator.revokeToken();
    await Promise.all([...workers, worker()].map(poll));

    expect(simulator.counters().token).toBe(2);
    const { renewals, lock } = await shared.read();
    expect(renewals).toHaveLength(1);
    expect(lock).toBeUndefined();
  });

  it("replace five tokens in ten minutes however many there are, and say so", async () => {
    const { simulator, worker } = await account();
    await poll(worker());
    for (let i = 0; i < 5; i += 1) {
      simulator.revokeToken();
      await poll(worker());
    }
    simulator.revokeToken();
    simulator.resetCounters();

    await expect(poll(worker())).rejects.toMatchObject({
      code: "TOO_MANY_RENEWALS",
      retryable: true,
      hint: expect.stringContaining("revokes"),
    });

    // One look with the token that was there.
    expect(simulator.counters()).toMatchObject({ requests: 1, "status:400": 1 });
    expect(simulator.counters().token ?? 0).toBe(0);
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
    const { simulator, worker, shared } = await account();
    simulator.fault({ kind: "status", status: 429, operation: "surveys", count: 1 });
    await poll(worker());
    expect((await shared.read()).learned).toMatchObject({
      requestsPerSecond: expect.any(Number),
      burst: expect.any(Number),
    });
  });

  it("keep to a rate that one of them has learned from their first request on", async () => {
    const { simulator, worker, shared } = await account();
    await shared.saveLearned({ requestsPerSecond: 50, burst: 1, searching: false, at: Date.now() });
    await poll(worker());
    const log = simulator.log();
    const seconds = ((log.at(-1)?.at ?? 0) - (log[0]?.at ?? 0)) / 1_000;
    expect(log.length).toBeGreaterThan(8);
    // The rate is raised a little while it is used up.
    expect((log.length - 1) / seconds).toBeLessThan(60);
  });

  it("that have nothing to do and nothing to tell ask the table for one query and one write", async () => {
    const { worker, shared } = await account();
    await shared.saveLearned({ requestsPerSecond: 200, burst: 20, searching: false, at: Date.now() });
    const graph = worker();
    await poll(graph);
    const before = test.aws.counters();

    await poll(graph);

    const after = test.aws.counters();
    const asked = Object.keys(after)
      .filter((name) => name.startsWith("dynamodb:"))
      .map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(asked)).toEqual({ "dynamodb:Query": 1, "dynamodb:UpdateItem": 1 });
  });
});

describe("wrong credentials", () => {
  it("in the middle of a tick end it: one token request, and nothing after its answer", async () => {
    const surveys = Array.from({ length: 12 }, (_, i) => ({ surveyId: i + 1, responses: 120 }));
    const { simulator, worker } = await account({ surveys });
    simulator.fault({ kind: "status", status: 401, operation: "token", after: 1 });
    simulator.onPageRead((_survey, _page, _order, nth) => {
      if (nth === 1) simulator.revokeToken();
    });

    await expect(poll(worker())).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });

    expect(simulator.counters().token).toBe(2);
    const log = simulator.log();
    const refusedAt = log.findIndex(({ status }) => status === 401);
    expect(refusedAt).toBeGreaterThan(0);
    // What was on its way: no more than there are places.
    expect(log.length - refusedAt - 1).toBeLessThanOrEqual(16);
    expect(log.slice(refusedAt + 1).filter(({ status }) => status === 401)).toEqual([]);
  });
});
