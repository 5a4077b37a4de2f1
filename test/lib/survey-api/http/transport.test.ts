import { describe, expect, it } from "vitest";
import { startDeafListener } from "../support/deaf-listener.ts";
import { type Answer, clientOf, inTurn, startClient, startService, withToken } from "../support/service.ts";

const list = "/api/v3/surveys/";
const silence: Answer = () => undefined;

describe("connections", () => {
  it("are no more than `concurrency` and a quarter to spare: one for a hundred requests, or ten", async () => {
    for (const [concurrency, most] of [
      [1, 1],
      [8, 10],
    ] as const) {
      const { service, api } = await startClient({ concurrency });
      await Promise.all(Array.from({ length: 100 }, () => api.surveys()));
      expect(service.data()).toHaveLength(100);
      expect(service.connections.accepted).toBeLessThanOrEqual(most);
    }
  });

  it("are closed by close(), which may be called twice, once the requests under way are done", async () => {
    const { service, api } = await startClient();
    service.answers.set(list, () => (response) => setTimeout(() => response.end("[]"), 20));
    await api.token();
    const reading = api.surveys();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await Promise.all([api.close(), api.close()]);
    expect(await reading).toEqual([]);
    await api.close();
    await expect(api.surveys()).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(service.data()).toHaveLength(1);
  });
});

describe("a body", () => {
  it("whose characters are cut by chunks is put together again", async () => {
    const { service, api } = await startClient();
    const body = JSON.stringify([{ surveyId: 1, name: "Zażółć gęślą jaźń" }]);
    service.answers.set(list, () => async (response) => {
      for (const byte of Buffer.from(body)) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      response.end();
    });
    expect(await api.surveys()).toEqual(JSON.parse(body));
  });
});

describe("a time limit", () => {
  it("`connect` ends a connection that does not come to stand", async () => {
    const url = await startDeafListener();
    const timeouts = { connect: 50, headers: 10_000, body: 10_000 };
    const { api } = clientOf({ url }, { timeouts, retry: { attempts: { TIMEOUT: 1 } } });
    await expect(api.surveys()).rejects.toMatchObject({ code: "TIMEOUT", operation: "get token", attempts: 1 });
  });

  it("`headers` and `body` do not run while a request waits for its turn", async () => {
    const { service, api } = await startClient({ timeouts: { headers: 1_000, body: 1_000 }, concurrency: 1 });
    service.answers.set(list, () => (response) => setTimeout(() => response.end("[]"), 150));
    await Promise.all(Array.from({ length: 8 }, () => api.surveys()));
    expect(service.data()).toHaveLength(8);
  });

  it("`call` ends an attempt that is under way when it is over", async () => {
    const service = await startService();
    service.answers.set(list, () => silence);
    const timeouts = { connect: 10_000, headers: 10_000, body: 10_000, call: 80 };
    const { api } = withToken(clientOf(service, { timeouts, monotonic: () => performance.now() }));
    const begun = performance.now();
    await expect(api.surveys()).rejects.toMatchObject({ code: "TIMEOUT", attempts: 1 });
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(service.data()).toHaveLength(1);
  });

  it("`call` lets no attempt begin after it, nor waits for one: the failure stands", async () => {
    const service = await startService();
    service.answers.set(list, () => ({ status: 500, json: {} }));
    for (const [call, attempts, slept] of [
      [200, 1, []],
      [300, 2, [250]],
      [800, 3, [250, 500]],
    ] as const) {
      const client = clientOf(service, { timeouts: { call } });
      await expect(client.api.surveys()).rejects.toMatchObject({ code: "SERVER_ERROR", status: 500, attempts });
      expect(client.slept).toEqual(slept);
    }
  });

  it("`call` holds while another attempt waits for its turn: the failure stands", async () => {
    const service = await startService();
    // The first failure takes so long that the time of the second call ends well after that of the first.
    const fails: Answer = (response) => void setTimeout(() => response.writeHead(500).end("{}"), 50);
    service.answers.set(list, inTurn(fails, silence));
    const timeouts = { call: 150, headers: 10_000 };
    const options = { concurrency: 1, timeouts, monotonic: () => performance.now(), retry: { baseDelay: 20 } };
    const client = withToken(clientOf(service, options));
    const begun = performance.now();
    const first = client.api.surveys().catch((error: unknown) => [error, performance.now() - begun] as const);
    // It takes the only place while the first one waits for its second attempt.
    const second = client.api.surveys().catch((error: unknown) => error);
    const [error, took] = (await first) as [unknown, number];
    expect(error).toMatchObject({ code: "SERVER_ERROR", attempts: 1 });
    expect(took).toBeLessThan(400);
    expect(await second).toMatchObject({ code: "TIMEOUT" });
  });

  it("`call` begins with the first request, not with the waiting for its turn", async () => {
    const service = await startService();
    service.answers.set(list, inTurn(silence, { json: [] }));
    const timeouts = { call: 120, headers: 10_000 };
    const client = withToken(clientOf(service, { concurrency: 1, timeouts, monotonic: () => performance.now() }));
    const first = client.api.surveys().catch((error: unknown) => error);
    expect(await client.api.surveys()).toEqual([]);
    expect(await first).toMatchObject({ code: "TIMEOUT" });
  });
});
