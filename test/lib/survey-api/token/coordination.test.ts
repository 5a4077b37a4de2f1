import { describe, expect, it, vi } from "vitest";
import type { Coordination } from "../../../../lib/survey-api/index.ts";
import { CLIENT_SECRET, clientOf, inTurn, startClient, startService, withToken } from "../support/service.ts";

const list = "/api/v3/surveys/";
const page = "/api/v3/surveys/7/responses/page/";
const MINUTE = 60_000;

describe("a coordination that fails", () => {
  it("is told as it is", async () => {
    const { service, api } = await startClient({
      coordination: {
        renew: async () => {
          throw Object.assign(new Error("newer"), { code: "STATE_REFUSED" });
        },
        onPause: () => {},
      },
    });
    await expect(api.surveys()).rejects.toMatchObject({ code: "STATE_REFUSED" });
    expect(service.requests).toHaveLength(0);
  });

  it.each<[string, () => void]>([
    ["at once", () => void JSON.parse("no table")],
    ["later", () => Promise.reject(new Error("no table")) as unknown as undefined],
  ])("%s to take a pause fails no call", async (_name, onPause) => {
    const coordination: Coordination = { renew: ({ ask }) => ask(), onPause };
    const { service, api } = await startClient({ coordination });
    service.answers.set(list, inTurn({ status: 429, headers: { "retry-after": "2" }, json: {} }, { json: [] }));
    expect(await api.surveys()).toEqual([]);
  });
});

describe("a pause", () => {
  /** A client that has a token, and then meets these refusals before the list. */
  async function refused(times: number, status: number, retryAfter?: string) {
    const pauses: number[] = [];
    const coordination: Coordination = { renew: ({ ask }) => ask(), onPause: ({ until }) => pauses.push(until) };
    const { service, ...client } = await startClient({ coordination });
    await client.api.token();
    const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
    const refusals = Array.from({ length: times }, () => ({ status, headers, json: {} }));
    service.answers.set(list, inTurn(...refusals, { json: [] }));
    const begun = client.time.now;
    return { ...client, untilOf: () => pauses.map((until) => until - begun) };
  }

  it.each([
    [429, [7_000]],
    [503, []],
  ])("that %i asks for is told to the others where it concerns them: %j", async (status, told) => {
    const { api, untilOf } = await refused(1, status, "7");
    await api.surveys();
    expect(untilOf()).toEqual(told);
  });

  it("is told once for what was refused together", async () => {
    const onPause = vi.fn();
    const retry = { attempts: { TOO_MANY_REQUESTS: 1 } };
    const { service, api } = await startClient({ retry, coordination: { renew: ({ ask }) => ask(), onPause } });
    await api.token();
    service.answers.set(list, () => ({ status: 429, headers: { "retry-after": "7" }, json: {} }));
    service.together.count = 8;
    await Promise.allSettled(Array.from({ length: 8 }, () => api.surveys()));
    expect(service.data()).toHaveLength(8);
    expect(onPause).toHaveBeenCalledTimes(1);
  });

  it("too long to wait for is told as well, an hour at most", async () => {
    const { api, untilOf } = await refused(1, 429, "86400");
    await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    expect(untilOf()).toEqual([60 * MINUTE]);
  });

  it("of less than a second is nobody else's business; backing off for longer is", async () => {
    const { api, untilOf } = await refused(6, 429);
    await api.surveys();
    // 100, 200, 400 and 800 ms are not told; 1,600 and 3,200 are.
    const [first = 0, second = 0, ...others] = untilOf();
    expect([second - first, others]).toEqual([3_200, []]);
  });

  it("that another client was told is kept, prolonged but never shortened, and not told back", async () => {
    const { api, time, untilOf } = await refused(0, 429);
    const begun = time.now;
    for (const until of [begun + 9_000, begun + 3_000, begun - 1_000, Number.NaN]) api.pauseUntil(until);
    await api.surveys();
    expect(time.now - begun).toBe(9_000);
    expect(untilOf()).toEqual([]);
  });
});

describe("what another client has learned", () => {
  it("holds from then on", async () => {
    const { api, time } = withToken(clientOf(await startService()));
    const { now } = time;
    api.learn({ requestsPerSecond: 4, at: now });
    await Promise.all(Array.from({ length: 9 }, () => api.surveys()));
    expect(time.now - now).toBeGreaterThanOrEqual(2_000);
  });

  it.each([null, {}, { requestsPerSecond: 0, at: 1 }, { requestsPerSecond: 5, at: Number.NaN }, { rate: 5 }, 7])(
    "and cannot be understood, %j, is left alone",
    async (odd) => {
      const { api } = await startClient();
      api.learn(odd as never);
      expect(api.learned()).toBeUndefined();
      expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
    },
  );
});

it("once the credentials are refused nothing more is sent for a while, by whoever waits or comes", async () => {
  const { service, api, time } = await startClient({ concurrency: 4 });
  service.answers.set(page, () => ({ json: [] }));
  await api.surveys();
  service.token.value = "revoked";
  let sentBefore = 0;
  service.answers.set("/oauth/token/", () => {
    sentBefore = service.requests.length;
    return { status: 401, json: { error: CLIENT_SECRET } };
  });
  service.requests.splice(0);

  const calls = Array.from({ length: 100 }, (_, i) => api.records(7, { page: i + 1, order: "asc" }));
  const outcomes = await Promise.allSettled(calls);

  const codes = outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.code);
  expect(new Set(codes)).toEqual(new Set(["WRONG_CREDENTIALS"]));
  expect(service.tokenRequests()).toBe(1);
  // Those that were on their way when the answer came, and no others.
  expect(service.requests.length - sentBefore).toBeLessThanOrEqual(20);
  const sent = service.requests.length;
  await expect(api.surveys()).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });
  await expect(api.token()).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });
  expect(service.requests).toHaveLength(sent);

  time.now += 10_000;
  service.answers.set("/oauth/token/", () => ({ json: { token: "revoked" } }));
  expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
});
