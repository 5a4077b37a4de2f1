import { describe, expect, it, vi } from "vitest";
import { type Answer, clientOf, inTurn, startService } from "./support/service.ts";

const list = "/api/v3/surveys/";
const good: Answer = { json: [] };
const tooMany = (retryAfter?: string): Answer => ({
  status: 429,
  json: {},
  headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
});

describe("429", () => {
  it.each([
    ["seconds", "3", 3_000],
    ["a date", "Tue, 10 Mar 2026 12:00:07 GMT", 7_000],
    ["nothing", undefined, 250],
    ["something unreadable", "soon", 250],
    ["no time at all", "0", 250],
  ])("with %s as Retry-After is waited for: %j", async (_name, retryAfter, wait) => {
    const service = await startService();
    service.answers.set(list, inTurn(tooMany(retryAfter), good));
    const { api, slept } = clientOf(service);

    await api.surveys();

    expect(slept).toEqual([wait]);
  });

  it("with a longer wait than a paid function should sleep ends in an error that says how long", async () => {
    const service = await startService();
    service.answers.set(list, () => tooMany("21"));
    const { api, slept } = clientOf(service);

    await expect(api.surveys()).rejects.toMatchObject({
      code: "TOO_MANY_REQUESTS",
      retryAfter: 21_000,
      retryable: true,
    });

    expect(slept).toEqual([]);
    expect(service.data()).toHaveLength(1);
  });

  it("with such a wait ends later calls at once, without a request, until it is over", async () => {
    const service = await startService();
    service.answers.set(list, inTurn(tooMany("60"), good));
    const { api, time } = clientOf(service);
    await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });

    time.now += 30_000;
    await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS", retryAfter: 30_000 });
    expect(service.data()).toHaveLength(1);

    time.now += 30_000;
    expect(await api.surveys()).toEqual([]);
  });

  it("again and again is given up at last", async () => {
    const service = await startService();
    service.answers.set(list, () => tooMany("1"));
    const { api } = clientOf(service);

    await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });

    expect(service.data().length).toBeGreaterThanOrEqual(5);
    expect(service.data().length).toBeLessThanOrEqual(20);
  });

  it("pauses all requests, also those that wait for their turn: none goes out before the pause is over", async () => {
    const service = await startService();
    const sleepers: (() => void)[] = [];
    const { api, time } = clientOf(service, {
      concurrency: 1,
      sleep: () => new Promise((resolve) => sleepers.push(resolve)),
    });
    await api.surveys();
    service.answers.set(list, inTurn(tooMany("5"), good));
    const before = service.data().length;

    const calls = Promise.all(Array.from({ length: 6 }, () => api.surveys()));
    await vi.waitFor(() => expect(sleepers.length).toBeGreaterThan(0), { interval: 1 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const duringPause = service.data().length - before;

    time.now += 5_000;
    const waking = setInterval(() => {
      for (const wake of sleepers.splice(0)) wake();
    }, 1);
    await calls;
    clearInterval(waking);

    expect(duringPause).toBe(1);
    expect(service.data().length - before).toBe(7);
  });
});
