import { describe, expect, test } from "vitest";
import type { Fault } from "../../lib/local/simulator/index.ts";
import { expectOneClearLine } from "./support/failing.ts";
import { type Flags, type PolledService, polledService } from "./support/polled-service.ts";

const surveys = [{ surveyId: 1, responses: 5 }];

/** No credentials in the environment. */
const NONE = { SURVEY_CLIENT_ID: "", SURVEY_CLIENT_SECRET: "" };

async function expectFailure(service: PolledService, flags: Flags, line: RegExp, env: Record<string, string> = {}) {
  const result = await service.run({ "start-from": "beginning", ...flags }, { env });
  expectOneClearLine(result, line);
}

describe("a service that cannot be used", () => {
  test("refuses connections: unreachable", async () => {
    const service = await polledService({ surveys });
    // The port that throws away what it gets: nobody listens there.
    await expectFailure(service, { "base-url": "http://127.0.0.1:9" }, /cannot be reached \(ECONNREFUSED\)/);
  });

  const status = { kind: "status" } as const;
  test.each<[string, Fault, RegExp]>([
    ["an HTML page to the token request", { kind: "html", operation: "token" }, /^get token: .*no token.*baseUrl/],
    ["an HTML page for the list", { kind: "html", operation: "surveys" }, /^get survey list: .*not JSON.*baseUrl/],
    ["400 to every token", { ...status, status: 400, operation: "surveys" }, /^get survey list: .*400.*credentials/],
    ["500 to everything", { ...status, status: 500 }, /^get token: .*500/],
  ])("answers %s", async (_what, fault, line) => {
    const service = await polledService({ surveys });
    service.simulator.fault(fault);
    await expectFailure(service, {}, line);
  });
});

describe("credentials", () => {
  test("that the service refuses are asked with once", async () => {
    const service = await polledService({ surveys });
    await expectFailure(service, {}, /refused the client id or the client secret/, {
      SURVEY_CLIENT_SECRET: "hunter2-wrong",
    });
    expect(service.simulator.counters()).toMatchObject({ requests: 1, token: 1, "status:401": 1 });
  });

  test("that are missing, or half of them, are asked for", async () => {
    const service = await polledService({ surveys });
    await expectFailure(service, {}, /no credentials.*SURVEY_CLIENT_ID/, NONE);
    await expectFailure(service, { "client-id": "me" }, /client secret is missing/, NONE);
    expect(service.simulator.counters().requests ?? 0).toBe(0);
  });

  test("may come from the environment, and stay with the data folder", async () => {
    const service = await polledService({ surveys });
    const fromBeginning = { "start-from": "beginning" };
    expect((await service.poll(fromBeginning)).events).toHaveLength(5);
    service.simulator.complete(1, 2);
    expect((await service.poll(fromBeginning, { env: NONE })).events).toHaveLength(7);
  });
});

describe("the data folder", () => {
  test("is used by one process at a time", async () => {
    const service = await polledService({ surveys });
    const first = service.start({ ticks: undefined, interval: "1h" });
    await first.printed(/^polling /m);
    await expectFailure(service, { events: `${service.folder}/other.jsonl` }, /in use by another process/);
    first.kill("SIGINT");
    expect((await first.done).code).toBe(0);
  });

  test("belongs to one service", async () => {
    const service = await polledService({ surveys });
    await service.poll();
    const other = await polledService({ surveys });
    await expectFailure(service, { "base-url": other.simulator.url }, /belongs to another survey service/);
    expect(other.simulator.counters()["responses-order"] ?? 0).toBe(0);
  });
});
