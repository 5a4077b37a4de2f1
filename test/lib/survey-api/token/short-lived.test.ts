import { describe, expect, it } from "vitest";
import { type Client, clientOf, type Service, startService } from "../support/service.ts";
import { workersOf } from "../support/workers.ts";

const list = "/api/v3/surveys/";
const page = "/api/v3/surveys/7/responses/page/";
const ENDED = "ended";
const IN_FLIGHT = 16;

/** A service whose tokens end after so many requests, the last number for all further ones; each of them ends the one before. */
async function serviceOf(...lasting: [number, ...number[]]): Promise<Service> {
  const service = await startService();
  let left = 0;
  let given = 0;
  const counted = (json: unknown) => () => {
    left -= 1;
    if (left <= 0) service.token.value = ENDED;
    return { json };
  };
  service.answers.set(list, counted([{ surveyId: 1 }]));
  service.answers.set(page, counted([]));
  service.answers.set("/oauth/token/", () => {
    left = lasting[Math.min(given, lasting.length - 1)] ?? 0;
    given += 1;
    service.token.value = `token-${given}`;
    return { json: { token: service.token.value } };
  });
  return service;
}

/** Makes so many calls, of which 16 are under way at a time. */
async function callAll({ api }: Client, calls: number): Promise<void> {
  let left = calls;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await api.records(7, { page: 1 + left, order: "asc" });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
}

const refusedOf = (service: Service, granted: number): number =>
  service.data().filter(({ path }) => path.startsWith(page)).length - granted;

describe("a token that ends after 150 requests, and ends the one before", () => {
  it("is renewed once each time, for 2,000 requests of which 16 are in flight", async () => {
    const service = await serviceOf(150);
    await callAll(clientOf(service), 2_000);
    // 2,000 / 150, and what the looks at the list take of it.
    expect(service.tokenRequests()).toBeGreaterThanOrEqual(14);
    expect(service.tokenRequests()).toBeLessThanOrEqual(15);
    expect(refusedOf(service, 2_000)).toBeLessThanOrEqual(IN_FLIGHT * service.tokenRequests());
  });

  it("does for two clients of which one asks for little, with one token in common", async () => {
    const service = await serviceOf(150);
    const { workers } = workersOf(service, 2);
    await Promise.all([1_900, 100].map((calls, i) => callAll(workers[i] as Client, calls)));
    expect(service.tokenRequests()).toBeLessThanOrEqual(20);
  });

  it("and of which the next ones end at once costs one renewal for each, whatever was refused together", async () => {
    const service = await serviceOf(150, 1, 1, 1, 150);
    await callAll(clientOf(service), 300);
    expect(service.tokenRequests()).toBe(5);
  });

  it("is never taken for the end of a list, nor the end of a list for it", async () => {
    const service = await serviceOf(150);
    const counted = service.answers.get(page);
    service.answers.set(page, (seen) => {
      const answer = counted?.(seen) ?? {};
      return Number(seen.path.slice(page.length).split("/")[0]) % 10 === 0 ? { status: 400, json: {} } : answer;
    });
    const { api } = clientOf(service);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, i) => api.records(7, { page: i + 1, order: "asc" })),
    );
    const codes = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "right"));
    expect(codes).toEqual(Array.from({ length: 1_000 }, (_, i) => ((i + 1) % 10 === 0 ? "BAD_REQUEST" : "right")));
  });
});

describe("a storm", () => {
  it("is ended where a token is good for five requests only", async () => {
    const service = await serviceOf(5);
    await expect(callAll(clientOf(service), 2_000)).rejects.toMatchObject({ code: "TOO_MANY_RENEWALS" });
    expect(service.tokenRequests()).toBeLessThanOrEqual(1 + 5 + service.data().length / 50);
  });

  it("of two clients that revoke each other's token is ended", async () => {
    const service = await serviceOf(150);
    const clients = [clientOf(service), clientOf(service)];
    const outcomes = await Promise.allSettled(clients.map((client) => callAll(client, 2_000)));
    const asked = service.tokenRequests();
    expect(outcomes.map(({ status }) => status)).toContain("rejected");
    expect(asked).toBeLessThanOrEqual(2 * (1 + 5) + service.data().length / 50);
  });
});
