import pLimit from "p-limit";
import { describe, expect, it } from "vitest";
import { type Client, clientOf, type Service, startService } from "../support/service.ts";

const list = "/api/v3/surveys/";
const page = "/api/v3/surveys/7/responses/page/";
const ENDED = "ended";

/** A service whose tokens end after so many requests; each of them ends the one before. */
async function serviceOf(lasting: number): Promise<Service> {
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
    left = lasting;
    given += 1;
    service.token.value = `token-${given}`;
    return { json: { token: service.token.value } };
  });
  return service;
}

/** Makes so many calls, of which 16 are under way at a time. */
function callAll({ api }: Client, calls: number): Promise<unknown>[] {
  const limit = pLimit(16);
  return Array.from({ length: calls }, (_, i) => limit(() => api.records(7, { page: i + 1, order: "asc" })));
}

describe("a token that ends after 150 requests, and ends the one before", () => {
  it("is renewed once each time, for 2,000 requests of which 16 are in flight", async () => {
    const service = await serviceOf(150);
    await Promise.all(callAll(clientOf(service), 2_000));
    // 2,000 / 150, and what the looks at the list take of it.
    expect(service.tokenRequests()).toBeGreaterThanOrEqual(14);
    expect(service.tokenRequests()).toBeLessThanOrEqual(15);
    const refused = service.data().filter(({ path }) => path.startsWith(page)).length - 2_000;
    expect(refused).toBeLessThanOrEqual(16 * service.tokenRequests());
  });

  it("is never taken for the end of a list, nor the end of a list for it", async () => {
    const service = await serviceOf(150);
    const counted = service.answers.get(page);
    service.answers.set(page, (seen) => {
      const answer = counted?.(seen) ?? {};
      return Number(seen.path.slice(page.length).split("/")[0]) % 10 === 0 ? { status: 400, json: {} } : answer;
    });
    const outcomes = await Promise.allSettled(callAll(clientOf(service), 1_000));
    const codes = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "right"));
    expect(codes).toEqual(Array.from({ length: 1_000 }, (_, i) => ((i + 1) % 10 === 0 ? "BAD_REQUEST" : "right")));
  });
});

describe("a storm", () => {
  it("is ended where a token is good for five requests only", async () => {
    const service = await serviceOf(5);
    await expect(Promise.all(callAll(clientOf(service), 2_000))).rejects.toMatchObject({ code: "TOO_MANY_RENEWALS" });
    expect(service.tokenRequests()).toBeLessThanOrEqual(1 + 5 + service.data().length / 50);
  });

  it("of two clients that revoke each other's token is ended", async () => {
    const service = await serviceOf(150);
    const clients = [clientOf(service), clientOf(service)];
    const outcomes = await Promise.allSettled(clients.flatMap((client) => callAll(client, 2_000)));
    const asked = service.tokenRequests();
    expect(outcomes.map(({ status }) => status)).toContain("rejected");
    expect(asked).toBeLessThanOrEqual(2 * (1 + 5) + service.data().length / 50);
  });
});
