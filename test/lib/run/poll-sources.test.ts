import { describe, expect, it, vi } from "vitest";
import { parseConfig } from "../../../lib/config/index.ts";
import type { Log } from "../../../lib/monitoring/log.ts";
import { pollSources, redriveSource } from "../../../lib/run/poll-sources.ts";
import { CredentialsMissingError } from "../../../lib/survey-api/index.ts";
import { failing } from "../../support/failing.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { refused } from "../../support/refused.ts";
import { at, deliveredIds, recordsOf, surveyOf, worldWith } from "../../support/survey.ts";
import { memoryLog } from "../support/log.ts";

function graph(name: string, world: MemoryWorld) {
  const [source] = parseConfig(
    { name, baseUrl: "https://surveys.example.com", startFrom: "beginning" },
    { deployed: true },
  ).sources;
  if (source === undefined) throw new Error("no source");
  return { source, ports: world.ports, service: "service-1", settle: vi.fn(async () => {}) };
}

const one = (): MemoryWorld => worldWith([{ responseId: 1, completed: at(0) }]);
const remaining = (): number => 60_000;

describe("polling all sources", () => {
  it("gives what each tick came to, and one line in the log for one with news", async () => {
    const [first, second] = [one(), one()];
    const log = memoryLog();

    const request = { graphs: [graph("a", first), graph("b", second)], owner: "o", remaining, logger: log };
    const { ticks } = await pollSources(request);
    await pollSources(request);

    expect(ticks.map(({ source, listed }) => [source, listed])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(log.lines).toMatchObject([
      { level: "info", details: { source: "a", emitted: 1 } },
      { level: "info", details: { source: "b", emitted: 1 } },
    ]);
  });

  it("goes on after a source that fails, and throws its error at the end, without what others might quote", async () => {
    const [broken, well] = [one(), one()];
    broken.before.push(({ operation }) => {
      if (operation === "surveys") throw Object.assign(new Error("jane@example.com"), { code: "ODD" });
    });
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
    const failWith = (world: MemoryWorld, error: Error) =>
      world.before.push(({ operation }) => {
        if (operation === "surveys") throw error;
      });
    failWith(without, new CredentialsMissingError("no value", { hint: "Fill it." }));
    const graphs = [graph("a", without), graph("b", well)];
    const log = memoryLog();

    const output = await pollSources({ graphs, owner: "o", remaining, logger: log });

    expect(output.ticks).toMatchObject([{ source: "b" }]);
    const problem = { kind: "missing", code: "CREDENTIALS_MISSING", message: "no value", hint: "Fill it." };
    expect(output.blocked).toEqual([{ source: "a", ...problem }]);
    expect(graphs[0]?.settle).toHaveBeenCalledTimes(1);

    failWith(broken, Object.assign(new Error(), { code: "ODD" }));
    const all = [...graphs, graph("c", broken)];
    await expect(pollSources({ graphs: all, owner: "o", remaining, logger: log })).rejects.toMatchObject({
      code: "ODD",
    });
  });

  it("does not take a tick that a pause has ended for the end of a credentials problem", async () => {
    const world = one();
    let isFilled = false;
    world.before.push(({ operation }) => {
      if (operation === "surveys" && !isFilled) throw new CredentialsMissingError("no value");
    });
    const request = { graphs: [graph("a", world)], owner: "o", remaining, logger: memoryLog() };
    const told = (message: string) => request.logger.lines.filter((line) => line.message === message).length;

    await pollSources(request);
    world.account.pausedUntil = world.time.now + 90_000;
    await pollSources(request);
    delete world.account.pausedUntil;
    await pollSources(request);
    expect([told("credentials problem"), told("credentials work")]).toEqual([1, 0]);

    isFilled = true;
    await pollSources(request);
    await pollSources(request);
    expect([told("credentials problem"), told("credentials work")]).toEqual([1, 1]);
  });

  it("tells the other workers what was learned at the end of each tick, also of one that failed", async () => {
    const [broken, well] = [one(), one()];
    broken.before.push(({ operation }) => {
      if (operation === "surveys") throw new Error("no list");
    });
    const graphs = [graph("a", broken), graph("b", well)];
    const order: string[] = [];
    well.before.push(({ operation }) => void order.push(operation));
    graphs[1]?.settle.mockImplementation(async () => void order.push("settle"));

    await expect(pollSources({ graphs, owner: "o", remaining, logger: memoryLog() })).rejects.toThrow();

    for (const { settle } of graphs) expect(settle).toHaveBeenCalledTimes(1);
    expect(order.at(-1)).toBe("settle");
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

  it("tells of a survey that failed, without failing the invocation", async () => {
    const world = one();
    world.before.push(({ operation }) => {
      if (operation === "page") throw Object.assign(new Error("x"), { code: "TIMEOUT" });
    });
    const log = memoryLog();
    await pollSources({ graphs: [graph("a", world)], owner: "o", remaining, logger: log });
    expect(log.lines[0]).toMatchObject({ level: "warn", details: { source: "a", surveyId: 1, code: "TIMEOUT" } });
  });

  it("begins nothing when there is no time left but to bring the state home", async () => {
    const world = one();
    surveyOf(world).records.push(...recordsOf({ responseId: 2, completed: at(1) }));
    world.before.push(({ operation }) => {
      if (operation === "surveys") world.time.now += 1;
    });
    await pollSources({ graphs: [graph("a", world)], owner: "o", remaining: () => 15_000, logger: memoryLog() });
    expect(deliveredIds(world)).toEqual([]);
  });
});

describe("an outage of metrics", () => {
  it("is in the log, a line a tick, by its name", async () => {
    const world = worldWith([1, 2, 3].map((responseId) => ({ responseId, completed: at(responseId) })));
    failing(world, "metrics");
    const log = memoryLog();
    await pollSources({ graphs: [graph("a", world)], owner: "o", remaining, logger: log });
    expect(log.lines.filter(({ message }) => message === "outage")).toEqual([
      { level: "warn", message: "outage", details: { source: "a", operation: "metrics" } },
    ]);
  });
});

describe("a redrive of quarantined responses", () => {
  it("ends its part in what processes share", async () => {
    const world = await refused([{ responseId: 1, completed: at(0) }]);
    const shared = graph("a", world);
    await redriveSource({ graph: shared, surveyIds: [1], owner: "o", remaining, logger: memoryLog() });
    expect(shared.settle).toHaveBeenCalledTimes(1);
  });

  const redriving = (world: MemoryWorld, logger: Log, surveyIds: number[]) =>
    redriveSource({ graph: graph("a", world), surveyIds, owner: "o", remaining, logger });

  it("says what was put back by survey, in its answer and in the log, and polls nothing", async () => {
    const world = await refused([{ responseId: 1, completed: at(0) }]);
    const log = memoryLog();
    world.calls.length = 0;

    const output = await redriving(world, log, [1, 2]);

    expect(output).toMatchObject({
      ticks: [],
      redriven: [
        { surveyId: 1, outcome: "done", putBack: 1 },
        { surveyId: 2, outcome: "done", putBack: 0 },
      ],
    });
    expect(log.lines).toMatchObject([
      { level: "info", message: "redrive", details: { source: "a", surveyId: 1, putBack: 1 } },
      { level: "info", message: "redrive", details: { source: "a", surveyId: 2, putBack: 0 } },
    ]);
    expect(world.calls.filter(({ port }) => port === "service")).toEqual([]);
  });

  it("warns of a survey that failed", async () => {
    const world = await refused([{ responseId: 1, completed: at(0) }]);
    world.before.push(({ operation }) => {
      if (operation === "forRedrive") throw Object.assign(new Error("x"), { code: "TABLE_BUSY" });
    });
    const log = memoryLog();
    expect((await redriving(world, log, [1])).redriven).toMatchObject([{ outcome: "failed" }]);
    expect(log.lines).toMatchObject([{ level: "warn", details: { failure: { code: "TABLE_BUSY" } } }]);
  });
});
