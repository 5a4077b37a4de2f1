import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { nextDelay, parseRetryAfter } from "../../../lib/survey-api/retry-policy.ts";
import { type Answer, clientOf, inTurn, startService } from "./support/service.ts";

const list = "/api/v3/surveys/";
const good: Answer = { json: [{ surveyId: 1 }] };
const reset: Answer = (response) => response.destroy();
const truncated: Answer = (response) => {
  response.writeHead(200, { "content-length": 1_000 });
  response.write('[{"surveyId":');
  setImmediate(() => response.destroy());
};
const cutChunks: Answer = (response) => {
  response.writeHead(200);
  response.write('[{"surveyId":');
  setImmediate(() => response.destroy());
};
const html: Answer = {
  headers: { "content-type": "text/html" },
  body: "<html>Maintenance for jane@example.com</html>",
};

describe("a passing failure is met with another attempt", () => {
  it.each<[string, Answer]>([
    ["500", { status: 500, json: {} }],
    ["502 with a page", { status: 502, body: "<html>" }],
    ["a reset connection", reset],
    ["a body cut by its length", truncated],
    ["a body cut between chunks", cutChunks],
    ["a page of HTML", html],
    ["half a JSON text", { body: '[{"surveyId":' }],
    ["an empty body", { body: "" }],
    ["429", { status: 429, json: {} }],
  ])("%s", async (_name, failure) => {
    const service = await startService();
    service.answers.set(list, inTurn(failure, good));
    const { api, slept } = clientOf(service);

    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);

    expect(service.data()).toHaveLength(2);
    expect(slept).toEqual([250]);
  });

  it("also the token request", async () => {
    for (const failure of [reset, { status: 500, json: {} }, { status: 429, json: {} }] satisfies Answer[]) {
      const service = await startService();
      service.answers.set("/oauth/token/", inTurn(failure, { json: { token: service.token.value } }));
      expect(await clientOf(service).api.surveys()).toEqual([{ surveyId: 1 }]);
    }
  });
});

describe("a lasting failure", () => {
  it.each<[string, Answer, string, number]>([
    ["500", { status: 500, json: {} }, "SERVER_ERROR", 4],
    ["a reset connection", reset, "UNREACHABLE", 4],
    ["a page of HTML", html, "UNREADABLE_BODY", 3],
  ])("%s ends in its own error after a few attempts", async (_name, failure, code, attempts) => {
    const service = await startService();
    service.answers.set(list, () => failure);
    const { api, slept } = clientOf(service);

    await expect(api.surveys()).rejects.toMatchObject({ code, operation: "get survey list", retryable: true });

    expect(service.data()).toHaveLength(attempts);
    expect(slept).toEqual([250, 500, 1_000].slice(0, attempts - 1));
  });

  it.each([
    [404, "NOT_FOUND"],
    [403, "SERVER_ERROR"],
    [301, "SERVER_ERROR"],
  ])("%i is not asked about again: the answer would be the same", async (status, code) => {
    const service = await startService();
    service.answers.set("/api/v3/surveys/7/", () => ({ status, json: {} }));
    const { api } = clientOf(service);

    await expect(api.response(7, 1)).rejects.toMatchObject({ code, status });

    expect(service.data()).toHaveLength(1);
  });

  it("to connect at all is UNREACHABLE", async () => {
    const port = await freePort();
    await expect(clientOf({ url: `http://127.0.0.1:${port}` }).api.surveys()).rejects.toMatchObject({
      code: "UNREACHABLE",
      hint: expect.stringContaining("baseUrl"),
    });
  });
});

describe("time limits", () => {
  const timeouts = { connect: 200, response: 40 };

  it("end an answer that does not begin, after two attempts", async () => {
    const service = await startService();
    service.answers.set(list, () => () => undefined);
    await expect(clientOf(service, { timeouts }).api.surveys()).rejects.toMatchObject({ code: "TIMEOUT", attempts: 2 });
    expect(service.data()).toHaveLength(2);
  });

  it("end an answer that stops in the middle", async () => {
    const service = await startService();
    service.answers.set(list, () => (response) => {
      response.writeHead(200);
      response.write("[");
    });
    await expect(clientOf(service, { timeouts }).api.surveys()).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  it("end an answer that trickles for ever", async () => {
    const service = await startService();
    service.answers.set(list, () => (response) => {
      response.writeHead(200);
      const trickle = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(trickle));
    });
    await expect(clientOf(service, { timeouts }).api.surveys()).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  it("do not run while a request waits for its turn", async () => {
    const service = await startService();
    let slow = 0;
    service.answers.set(list, () => (response) => {
      slow += 1;
      setTimeout(() => response.end("[]"), 30);
    });
    const { api } = clientOf(service, { timeouts: { connect: 200, response: 100 }, concurrency: 1 });
    await Promise.all(Array.from({ length: 8 }, () => api.surveys()));
    expect(slow).toBe(8);
  });
});

describe("no more requests are in flight than `concurrency`", () => {
  it.each([1, 3])("%i", async (concurrency) => {
    const service = await startService();
    let now = 0;
    let most = 0;
    service.answers.set(list, () => (response) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        response.end("[]");
      }, 5);
    });
    const { api } = clientOf(service, { concurrency });
    await Promise.all(Array.from({ length: 10 }, () => api.surveys()));
    expect(most).toBe(concurrency);
  });
});

it("a signal ends the waiting and the request", async () => {
  const service = await startService();
  service.answers.set(list, () => () => undefined);
  const stop = new AbortController();
  const { api } = clientOf(service);
  const reading = api.surveys(stop.signal);
  setTimeout(() => stop.abort(), 20);
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
});

describe("the delay before an attempt", () => {
  it("is none for an error that is not of the service", () => {
    expect(nextDelay(new Error("odd"), 1, 0.5)).toBeUndefined();
  });

  it.each([
    ["3", 3_000],
    ["0", 0],
    [" 1.5 ", 1_500],
    ["Tue, 10 Mar 2026 12:00:30 GMT", 30_000],
    ["Tue, 10 Mar 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("Retry-After %j is %j ms", (value, expected) => {
    expect(parseRetryAfter(value, Date.UTC(2026, 2, 10, 12))).toBe(expected);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
