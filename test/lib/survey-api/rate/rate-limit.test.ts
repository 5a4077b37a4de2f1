import { describe, expect, it } from "vitest";
import { type Answer, clientOf, inTurn, startClient, startService } from "../support/service.ts";

const list = "/api/v3/surveys/";
const good: Answer = { json: [] };
const tooMany = (retryAfter?: string): Answer => ({
  status: 429,
  json: {},
  // The service's own clock, which is an hour ahead of the client's.
  headers: {
    date: "Tue, 10 Mar 2026 13:00:00 GMT",
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
  },
});

describe("429", () => {
  it.each([
    ["seconds", "3", 3_000],
    ["more than half a minute", "90", 90_000],
    ["a date", "Tue, 10 Mar 2026 13:00:07 GMT", 7_000],
    // Nothing was granted before: it is asked twice a second at first.
    ["nothing", undefined, 500],
    ["something unreadable", "soon", 500],
    ["no time at all", "0", 500],
  ])("with %s as Retry-After is waited for: %j", async (_name, retryAfter, wait) => {
    const { service, api, slept } = await startClient();
    service.answers.set(list, inTurn(tooMany(retryAfter), good));

    await api.surveys();

    expect(slept).toEqual([wait]);
  });

  it("with a longer wait than the policy's longest pause ends all calls until it is over, and says how long", async () => {
    const { service, api, time, slept } = await startClient({ retry: { longestPause: 20_000 }, concurrency: 1 });
    service.answers.set(list, inTurn(tooMany("60"), good));
    const ended = (retryAfter: number) => ({ code: "TOO_MANY_REQUESTS", retryAfter, retryable: true });
    // The second one waits for its turn.
    for (const outcome of await Promise.allSettled([api.surveys(), api.surveys()]))
      expect(outcome).toMatchObject({ reason: ended(60_000) });
    time.now += 30_000;
    await expect(api.surveys()).rejects.toMatchObject(ended(30_000));
    expect(service.data()).toHaveLength(1);
    expect(slept).toEqual([]);
    time.now += 30_000;
    expect(await api.surveys()).toEqual([]);
  });

  it("with a wait that would outlast the time of the call ends it at once", async () => {
    const { service, api, slept } = await startClient({ timeouts: { call: 60_000 } });
    service.answers.set(list, () => tooMany("90"));
    await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS", retryAfter: 90_000 });
    expect(slept).toEqual([]);
  });
});

describe("a failure whose body breaks", () => {
  it("is still what its status says, and its pause is kept", async () => {
    const { service, api, slept } = await startClient();
    service.answers.set(
      list,
      inTurn((response) => {
        response.writeHead(429, { "retry-after": "30", "content-length": "1000" });
        response.write("{");
        setTimeout(() => response.destroy(), 5);
      }, good),
    );
    expect(await api.surveys()).toEqual([]);
    expect(slept).toEqual([30_000]);
  });

  it("or never ends, or is too long, is so as well", async () => {
    for (const length of ["1000", "999999999"]) {
      const { service, api } = await startClient({ timeouts: { body: 50 } });
      service.answers.set(list, () => (response) => {
        response.writeHead(404, { "content-length": length });
        response.write("{");
      });
      await expect(api.surveys()).rejects.toMatchObject({ code: "NOT_FOUND", attempts: 1 });
    }
  });
});

describe("503", () => {
  const asksForTime = { status: 503, json: {}, headers: { "retry-after": "30" } };
  const metadataOf = (responseId: number) => `/api/v3/surveys/7/responses/${responseId}/metadata/`;

  it("with Retry-After for one thing keeps nothing else waiting", async () => {
    const { service, api, slept } = await startClient({ retry: { longestPause: 20_000 } });
    service.answers.set("/api/v3/surveys/7/", () => ({ json: [] }));
    service.answers.set(metadataOf(1), () => asksForTime);
    await expect(api.metadata(7, 1)).rejects.toMatchObject({ code: "SERVER_ERROR", attempts: 1, retryAfter: 30_000 });
    for (const responseId of [2, 3, 4]) expect(await api.metadata(7, responseId)).toEqual([]);
    expect(slept).toEqual([]);
  });

  it("with Retry-After for a second thing meanwhile pauses everything", async () => {
    const { service, api } = await startClient({ retry: { longestPause: 20_000 } });
    service.answers.set(metadataOf(1), () => asksForTime);
    service.answers.set(metadataOf(2), () => asksForTime);
    for (const responseId of [1, 1, 2])
      await expect(api.metadata(7, responseId)).rejects.toMatchObject({ code: "SERVER_ERROR" });
    await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS", retryAfter: expect.any(Number) });
  });

  it("with Retry-After is met by another attempt after as long as it says", async () => {
    const { service, api, slept } = await startClient();
    service.answers.set(list, inTurn({ status: 503, json: {}, headers: { "retry-after": "12" } }, good));
    await api.surveys();
    expect(slept.reduce((sum, milliseconds) => sum + milliseconds, 0)).toBe(12_000);
    expect(api.learned()).toBeUndefined();
  });
});

it("what was learned is undefined while nothing was refused, and then handed from one client to the next", async () => {
  const service = await startService();
  const first = clientOf(service);
  await first.api.surveys();
  expect(first.api.learned()).toBeUndefined();
  service.answers.set(list, inTurn(tooMany("1"), good));
  await first.api.surveys();
  const learned = first.api.learned();
  expect(learned).toMatchObject({ requestsPerSecond: expect.any(Number) });

  const second = clientOf(service);
  second.api.learn(JSON.parse(JSON.stringify(learned)));
  expect(second.api.learned()).toMatchObject({ requestsPerSecond: learned?.requestsPerSecond });
});
