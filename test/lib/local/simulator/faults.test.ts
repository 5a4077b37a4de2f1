import { describe, expect, test } from "vitest";
import { type Fault, startSimulator } from "../../../../lib/local/simulator/index.ts";
import { at, noon, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 30 }];
const list = "/api/v3/surveys/";
const page = "/api/v3/surveys/7/responses/page/1/order/asc/";

/** The status of an answer, or the name of what the client met in its place. */
async function outcome(request: Promise<Response>): Promise<number | string> {
  try {
    const answer = await request;
    const text = await answer.text();
    if (answer.status === 200) JSON.parse(text);
    return answer.status;
  } catch (error) {
    return error instanceof SyntaxError ? "not JSON" : "connection";
  }
}

describe("faults", () => {
  test.each<[string, Fault, number | string]>([
    ["500", { kind: "status", status: 500 }, 500],
    ["reset before the answer", { kind: "reset" }, "connection"],
    ["a connection that ends too early", { kind: "truncate" }, "connection"],
    ["HTML with status 200", { kind: "html" }, "not JSON"],
  ])("%s, then all is well again", async (_, fault, expected) => {
    const client = await simulate({ surveys });
    expect(await outcome(client.get(page))).toBe(200);
    client.simulator.fault({ ...fault, count: 1 });
    expect(await outcome(client.get(page))).toBe(expected);
    expect(await outcome(client.get(page))).toBe(200);
  });

  test("latency delays and adds to another fault", async () => {
    const client = await simulate({ surveys });
    await client.get(list);
    client.simulator.fault({ kind: "latency", ms: 15, count: 1 });
    client.simulator.fault({ kind: "latency", ms: [15, 20], count: 1 });
    client.simulator.fault({ kind: "status", status: 500, count: 1 });
    const started = performance.now();
    expect(await outcome(client.get(list))).toBe(500);
    expect(performance.now() - started).toBeGreaterThanOrEqual(28);
    expect(await outcome(client.get(list))).toBe(200);
  });

  test("only the operations and the survey named, after some, so many times", async () => {
    const client = await simulate({ surveys: [...surveys, { surveyId: 8, responses: 1 }] });
    const fault = { kind: "status", status: 500, operation: ["responses-order", "survey"], surveyId: 7 } as const;
    client.simulator.fault({ ...fault, after: 1, count: 2 });
    const outcomes = [];
    for (const path of [list, `${list}8/`, `${list}7/questions/`, page, page, `${list}7/`, page])
      outcomes.push(await outcome(client.get(path)));
    expect(outcomes).toEqual([200, 200, 200, 200, 500, 500, 200]);
  });

  test("with a probability, the same requests again for the same seed", async () => {
    const runs = [];
    for (const seed of [3, 3, 4]) {
      const client = await simulate({ seed, surveys });
      await client.get(list);
      client.simulator.fault({ kind: "status", status: 500, probability: 0.3 });
      const outcomes = [];
      for (let request = 0; request < 60; request += 1) outcomes.push(await outcome(client.get(list)));
      runs.push(outcomes.join());
    }
    expect(runs[1]).toBe(runs[0]);
    expect(runs[2]).not.toBe(runs[0]);
    const failures = at(runs, 0).match(/500/g)?.length ?? 0;
    expect(failures).toBeGreaterThan(8);
    expect(failures).toBeLessThan(30);
  });
});

test("a rate limit grants the burst, then so many a second; the token request counts, v2 does not", async () => {
  let now = noon;
  const rateLimit = { perSecond: 2, burst: 3, retryAfter: "none" } as const;
  const client = await simulate({ surveys, settings: { rateLimit }, now: () => now });
  const next = () => outcome(client.get(list));
  expect([await next(), await next(), await next(), await next()]).toEqual([200, 200, 429, 429]);
  expect(await outcome(client.get("/api/v2/surveys/"))).toBe(200);
  now += 500;
  expect([await next(), await next()]).toEqual([200, 429]);
  now += 60_000;
  expect([await next(), await next(), await next(), await next()]).toEqual([200, 200, 200, 429]);
  expect((await client.get(list)).headers.get("retry-after")).toBeNull();
  client.simulator.set({ rateLimit: { perSecond: 0.25, burst: 0, retryAfter: "seconds" } });
  expect((await client.get(list)).headers.get("retry-after")).toBe("4");
});

test("every request is counted, and logged with its headers, body, status and time", async () => {
  const client = await simulate({ surveys });
  await client.get(page);
  await client.get("/nowhere");
  client.simulator.fault({ kind: "reset", count: 1 });
  await outcome(client.get(list));
  expect(client.simulator.counters()).toEqual({
    ...{ requests: 4, token: 1, "responses-order": 1, surveys: 1, unknown: 1 },
    ...{ "status:200": 2, "status:404": 1, "status:0": 1 },
  });
  const [token, read, unknown, reset] = client.simulator.log();
  expect(token).toMatchObject({ operation: "token", method: "POST", path: "/oauth/token/", status: 200, at: noon });
  expect(token?.body).toBe("clientId=simulator&clientSecret=simulator-secret");
  expect(read).toMatchObject({ operation: "responses-order", path: page, body: "", status: 200 });
  expect(read?.headers["content-type"]).toBe("application/json");
  expect([unknown?.operation, unknown?.status, reset?.status]).toEqual(["unknown", 404, 0]);
  client.simulator.resetCounters();
  expect([client.simulator.counters(), client.simulator.log()]).toEqual([{}, []]);
});

test("closes with requests in flight, and listens on loopback alone", async () => {
  const simulator = await startSimulator();
  expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await expect(startSimulator({ port: Number(new URL(simulator.url).port) })).rejects.toThrow("EADDRINUSE");
  simulator.fault({ kind: "latency", ms: 60_000 });
  const hanging = outcome(fetch(simulator.url));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await simulator.close();
  expect(await hanging).toBe("connection");
  expect(await outcome(fetch(simulator.url))).toBe("connection");
});
