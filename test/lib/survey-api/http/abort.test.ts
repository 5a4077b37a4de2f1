import { getEventListeners } from "node:events";
import { setTimeout as sleepFor } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { CallOptions, SurveyApi } from "../../../../lib/survey-api/index.ts";
import { eventually } from "../../../support/eventually.ts";
import { listen } from "../support/channels.ts";
import {
  type Answer,
  clientOf,
  inTurn,
  type Service,
  startClient,
  startService,
  withToken,
} from "../support/service.ts";

const list = "/api/v3/surveys/";
const good: Answer = { json: [{ surveyId: 1 }] };
const reason = new Error("the caller's own");
const real = {
  monotonic: () => performance.now(),
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    sleepFor(milliseconds, undefined, signal === undefined ? {} : { signal }),
};

/** Aborts once `when` holds, and expects the rejection with the very reason, soon. */
async function abortedOnce(when: () => void, call: (options: CallOptions) => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const outcome = Promise.allSettled([call({ signal: stop.signal })]);
  await eventually(when);
  const begun = performance.now();
  stop.abort(reason);
  expect((await outcome)[0]).toHaveProperty("reason", reason);
  expect(performance.now() - begun).toBeLessThan(500);
}

const requested = (service: Service, count: number) => () => expect(service.data()).toHaveLength(count);

describe("a signal ends a call with its own reason", () => {
  it("before anything is sent, when it is aborted already", async () => {
    const { service, api, store, credentialsRead } = await startClient();
    const signal = AbortSignal.abort(reason);
    const calls = [
      api.token({ signal }),
      api.records(7, { page: 1, order: "asc", signal }),
      api.v2.metadata(7, 1, { signal }),
      api.elements("get survey list", {}, { signal }),
    ];
    for (const outcome of await Promise.allSettled<unknown>(calls)) expect(outcome).toHaveProperty("reason", reason);
    expect([store.reads, credentialsRead(), service.connections.accepted]).toEqual([0, 0, 0]);
  });

  it("while it waits for its turn, without a request", async () => {
    const { service, api } = await startClient({ concurrency: 1 });
    const first = Promise.withResolvers<void>();
    const late: Answer = (response) => void first.promise.then(() => response.end("[]"));
    service.answers.set(list, inTurn(late, good));
    const before = api.surveys();
    await eventually(requested(service, 1));
    await abortedOnce(requested(service, 1), (options) => api.surveys(options));
    first.resolve();
    expect(await before).toEqual([]);
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
    expect(service.data()).toHaveLength(2);
  });

  it.each([
    ["the request is under way", ""],
    ["its body comes", "["],
  ])("while %s, and the connection is closed", async (_when, begun) => {
    const { service, api } = await startClient();
    const closed: string[] = [];
    service.answers.set(list, () => (response) => {
      response.on("close", () => closed.push("request"));
      if (begun !== "") response.write(begun);
    });
    await abortedOnce(requested(service, 1), (options) => api.surveys(options));
    await eventually(() => expect(closed).toEqual(["request"]));
    service.answers.set(list, () => good);
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
  });

  it("between two attempts", async () => {
    const { service, api } = await startClient({ ...real, retry: { baseDelay: 60_000, maxDelay: 60_000 } });
    service.answers.set(list, () => ({ status: 500, json: {} }));
    await abortedOnce(requested(service, 1), (options) => api.surveys(options));
    expect(service.data()).toHaveLength(1);
  });

  it("in a pause that the service asked for, also that of another call, and the others wait on", async () => {
    // The pause is never over.
    const { service, api } = await startClient({ sleep: () => new Promise(() => undefined) });
    service.answers.set(list, () => ({ status: 429, json: {}, headers: { "retry-after": "60" } }));
    const told = listen();
    const settled = vi.fn();
    const refused = new AbortController();
    const others = Array.from({ length: 2 }, () =>
      api
        .surveys({ signal: refused.signal })
        .catch((error: unknown) => error)
        .finally(settled),
    );
    const begun = () => expect(told.pause).toHaveLength(1);
    // Before that, the next call would be sent as well.
    await eventually(begun);
    await abortedOnce(begun, (options) => api.surveys(options));
    expect(settled).not.toHaveBeenCalled();
    refused.abort(reason);
    expect(await Promise.all(others)).toEqual([reason, reason]);
    expect(service.data().length).toBeLessThanOrEqual(2);
  });

  it("while a shared token request is under way: that goes on, and so do the others", async () => {
    const { service, api } = await startClient();
    const held = Promise.withResolvers<void>();
    service.answers.set("/oauth/token/", () => (response) => {
      void held.promise.then(() => response.end(JSON.stringify({ token: service.token.value })));
    });
    const others = Promise.all([api.surveys(), api.surveys(), api.token()]);
    const asked = () => expect(service.tokenRequests()).toBe(1);
    await abortedOnce(asked, (options) => api.surveys(options));
    await abortedOnce(asked, (options) => api.token(options));
    held.resolve();
    expect(await others).toEqual([[{ surveyId: 1 }], [{ surveyId: 1 }], service.token.value]);
    expect(service.tokenRequests()).toBe(1);
    expect(service.data()).toHaveLength(2);
  });

  it("while a refused token is looked into", async () => {
    const service = await startService();
    service.answers.set("/api/v3/surveys/7/", () => ({ status: 400, json: {} }));
    service.answers.set(list, () => () => undefined);
    const { api } = withToken(clientOf(service, { timeouts: { headers: 150 }, retry: { attempts: { TIMEOUT: 1 } } }));
    await abortedOnce(requested(service, 2), (options) => api.survey(7, options));
  });

  it("of any kind, also what is no error", async () => {
    const { service, api } = await startClient();
    service.answers.set(list, () => () => undefined);
    for (const odd of ["a text", 7, null, { an: "object" }]) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(odd), 5);
      expect(await api.surveys({ signal: stop.signal }).catch((error: unknown) => error)).toEqual(odd);
    }
    await expect(api.surveys({ signal: AbortSignal.timeout(5) })).rejects.toMatchObject({ name: "TimeoutError" });
  });
});

describe("a signal that lives longer than the calls", () => {
  it("has one listener, however many wait for it", async () => {
    const { service, api } = await startClient({ concurrency: 2 });
    service.answers.set(list, () => () => undefined);
    const stop = new AbortController();
    const calls = Array.from({ length: 20 }, () => api.surveys({ signal: stop.signal }));
    await eventually(requested(service, 2));
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort(reason);
    for (const outcome of await Promise.allSettled(calls)) expect(outcome).toHaveProperty("reason", reason);
  });

  it("is left without a listener by each of them, however it ends", async () => {
    const { service, api } = await startClient();
    const { signal } = new AbortController();
    const calls: ((of: SurveyApi) => Promise<unknown>)[] = [
      (of) => of.surveys({ signal }),
      (of) => of.survey(404, { signal }),
      (of) => of.token({ signal }),
    ];
    service.answers.set("/api/v3/surveys/404/", inTurn({ status: 500, json: {} }, { status: 404, json: {} }));
    for (const call of calls) await call(api).catch(() => undefined);
    service.answers.set(list, () => (response) => response.destroy());
    await expect(api.surveys({ signal })).rejects.toMatchObject({ code: "UNREACHABLE" });
    api.pauseUntil(Number.MAX_SAFE_INTEGER);
    await expect(api.surveys({ signal })).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
