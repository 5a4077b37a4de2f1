import type { Context } from "aws-lambda";
import { describe, expect, it, vi } from "vitest";
import type { createSourceGraph, PolledSource } from "../../lib/run/wiring.ts";
import { writtenBy } from "../lib/monitoring/support/embedded-metrics.ts";
import { arrive, at, MINUTE, noon, SECOND, worldWith } from "../support/survey.ts";

const worlds = vi.hoisted(() => new Map<string, ReturnType<typeof worldWith>>());

vi.mock("../../lib/run/wiring.ts", async (original) => ({
  ...(await original<{ createSourceGraph: typeof createSourceGraph }>()),
  createSourceGraph: (source: PolledSource) => {
    const world = worldWith([{ responseId: 1, completed: at(0) }]);
    worlds.set(source.name, world);
    return {
      source,
      service: "service-1",
      begin: () => world.ports,
      settle: async () => {},
    };
  },
}));
const shared = { baseUrl: "https://surveys.example.com", timeZone: "UTC", startFrom: "beginning" };
const raw = {
  sources: [
    { ...shared, name: "curious", logLevel: "debug" },
    { ...shared, name: "plain" },
    { ...shared, name: "quiet", logLevel: "warn" },
  ],
};
const environment = {
  ...{ CONFIG: JSON.stringify(raw), TABLE_NAME: "table", BUS_NAME: "bus", CLAIM_CHECK_BUCKET: "bucket" },
  ...{ SECRETS_PREFIX: "Surveys", AWS_REGION: "eu-central-1", AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand" },
  POWERTOOLS_SERVICE_NAME: "Surveys-Poller",
};
for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
const { handler } = await import("../../functions/poll.ts");

/** Milliseconds after which the books are due. */
const BOOKS = 8 * 24 * 60 * MINUTE;

type Line = Record<string, unknown> & { message?: string; source?: string };

/** What one invocation writes. */
async function linesOf(requestId: string, trace: string, later = MINUTE): Promise<Line[]> {
  vi.stubEnv("_X_AMZN_TRACE_ID", `Root=${trace};Parent=557abcec3ee5a047;Sampled=1`);
  for (const [name, world] of worlds) {
    world.time.now += later;
    const responseId = world.delivered.length + 10;
    arrive(world, { responseId, completed: at(world.time.now - noon - SECOND), fields: { comment: `of ${name}` } });
  }
  const context = { awsRequestId: requestId, functionName: "poll", getRemainingTimeInMillis: () => 60_000 };
  const text = await writtenBy(() => handler({}, context as Context));
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

const isMetrics = (line: Line): boolean => "_aws" in line;
const countOf = <Value>(values: Value[]): Map<Value, number> =>
  new Map([...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]));

describe("what an invocation writes", () => {
  it("joins: each line has the request id and the name of the deployment, and each of the log cold start and trace", async () => {
    const first = await linesOf("request-1", "1-5759e988-bd862e3fe1be46a994272793");
    const second = await linesOf("request-2", "1-5759e988-000000000000000000000002");

    for (const [lines, requestId, trace, cold] of [
      [first, "request-1", "1-5759e988-bd862e3fe1be46a994272793", true],
      [second, "request-2", "1-5759e988-000000000000000000000002", false],
    ] as const) {
      expect(lines.filter(isMetrics)).toHaveLength(3);
      for (const line of lines) {
        expect(line).toMatchObject({ service: "Surveys-Poller", function_request_id: requestId });
        if (!isMetrics(line)) expect(line).toMatchObject({ cold_start: cold, xray_trace_id: trace });
      }
    }
  });

  it("has the request id of the metrics as a property, which makes no series", async () => {
    for (const line of (await linesOf("request-3", "1-3")).filter(isMetrics)) {
      const { CloudWatchMetrics } = line._aws as { CloudWatchMetrics: [{ Dimensions: string[][] }] };
      expect(CloudWatchMetrics[0].Dimensions).toEqual([["service", "source"]]);
    }
  });

  it("is what the level of each source says, though they share one function", async () => {
    const lines = (await linesOf("request-4", "1-4", BOOKS)).filter((line) => !isMetrics(line));
    expect(countOf(lines.map(({ source, level }) => `${source} ${level}`))).toEqual(
      new Map([
        // The books; the event, and the tick.
        ["curious DEBUG", 1],
        ["curious INFO", 2],
        ["plain INFO", 2],
      ]),
    );
  });
});
