import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { type Answer, clientOf, inTurn, startClient, startService, TOKEN } from "../support/service.ts";

const list = "/api/v3/surveys/";
const page = "/api/v3/surveys/7/responses/page/";
const MINUTE = 60_000;

/** A JWT with these claims. */
function jwt(claims: object): string {
  return `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
}

describe("the token", () => {
  it("is taken from the store, without reading the credentials, and kept there when it is new", async () => {
    const { service, ...first } = await startClient();
    await first.api.surveys();
    const { now } = first.time;
    expect(first.store.kept).toEqual({ token: TOKEN, obtainedAt: now, expiresAt: now + 30 * 24 * 60 * MINUTE });

    const second = clientOf(service);
    second.store.kept = first.store.kept;
    await second.api.surveys();
    expect(second.credentialsRead()).toBe(0);
    expect(service.tokenRequests()).toBe(1);
  });

  it.each([
    ["an hour before its end when it lives for a month", 30 * 24 * 60, 60],
    ["in the last tenth of a short life", 60, 6],
  ])("is renewed %s, by its own claim", async (_name, life, before) => {
    const { service, ...client } = await startClient();
    service.token.value = jwt({ exp: client.time.now / 1_000 + life * 60 });
    await client.api.surveys();
    client.time.now += (life - before - 1) * MINUTE;
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(1);

    client.time.now += 2 * MINUTE;
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(2);
  });

  /** A client whose token has half an hour left of ten. */
  async function nearItsEnd() {
    const { service, ...client } = await startClient();
    const old = jwt({ exp: client.time.now / 1_000 + 10 * 3_600 });
    service.token.value = old;
    await client.api.surveys();
    client.time.now += 9.5 * 60 * MINUTE;
    return { service, old, ...client };
  }

  it("near its end is renewed for one caller, while the others go on with it", async () => {
    const { service, api, old } = await nearItsEnd();
    service.acceptsAlso.add(old);
    service.token.value = "second-token";
    await Promise.all(Array.from({ length: 10 }, () => api.surveys()));
    expect(service.tokenRequests()).toBe(2);
    const bearers = service.data().map(({ headers }) => headers.authorization);
    expect(bearers.filter((bearer) => bearer === `bearer ${old}`)).toHaveLength(1 + 9);
    expect(await api.token()).toBe("second-token");
  });

  it("near its end goes on being used when no other is to be had, and is asked for again minutes later", async () => {
    const { service, api, time } = await nearItsEnd();
    service.answers.set("/oauth/token/", () => ({ status: 401, json: {} }));
    for (const wait of [0, 0, 5]) {
      time.now += wait * MINUTE;
      await api.surveys();
    }
    expect(service.tokenRequests()).toBe(1 + 2);
    time.now += 30 * MINUTE;
    await expect(api.surveys()).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });
  });

  it("that is kept in the store and near its end is used when no other is to be had", async () => {
    const { service, ...client } = await startClient();
    const { now } = client.time;
    client.store.kept = { token: TOKEN, obtainedAt: now - 100 * 60 * MINUTE, expiresAt: now + 30 * MINUTE };
    service.answers.set("/oauth/token/", () => ({ status: 404, json: {} }));
    expect(await client.api.surveys()).toEqual([{ surveyId: 1 }]);
  });

  it.each<[string, ((now: number) => object) | undefined, unknown, number]>([
    ["without claims lives as long as `expires_in` beside it says", undefined, 3_600, 60],
    ["so does one with that as text", undefined, "3600", 60],
    ["whose claims name no end does so", () => ({ sub: "me" }), 3_600, 60],
    ["is believed before `expires_in`", (now) => ({ exp: now + 7_200 }), 60, 120],
    ["whose end is a moment ahead lives as `expires_in` says", (now) => ({ exp: now + 5 }), 86_400, 24 * 60],
    ...[0, -1, null, "soon", 1e300, [], {}].map((odd): [string, undefined, unknown, number] => [
      `is not spoilt by an \`expires_in\` of ${JSON.stringify(odd)}`,
      undefined,
      odd,
      30 * 24 * 60,
    ]),
  ])("%s", async (_name, claims, expires_in, minutes) => {
    const { service, api, store, time } = await startClient();
    const token = claims === undefined ? "an-opaque-token" : jwt(claims(time.now / 1_000));
    service.token.value = token;
    service.answers.set("/oauth/token/", () => ({ json: { data: { token }, expires_in } }));
    await api.surveys();
    expect(store.kept).toEqual({ token, obtainedAt: time.now, expiresAt: time.now + minutes * MINUTE });
  });

  it.each([-3_600, 0, 2, 29])(
    "whose end is %i s ahead when it comes, as two clocks may differ, is used until it is refused",
    async (ahead) => {
      const { service, ...client } = await startClient();
      service.token.value = jwt({ exp: client.time.now / 1_000 + ahead });
      for (let minute = 0; minute < 30; minute += 1) {
        await client.api.surveys();
        client.time.now += MINUTE;
      }
      expect(service.tokenRequests()).toBe(1);

      // Also by the next run.
      const next = clientOf(service);
      next.store.kept = client.store.kept;
      next.time.now = client.time.now;
      await next.api.surveys();
      expect(service.tokenRequests()).toBe(1);

      service.token.value = "second-token";
      await client.api.surveys();
      expect(service.tokenRequests()).toBe(2);
    },
  );

  it("works also when it cannot be kept", async () => {
    const { api } = await startClient({
      tokenStore: {
        read: async () => undefined,
        write: async () => {
          throw new Error("denied");
        },
      },
    });
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
    expect(await api.renewToken()).toMatchObject({ isKept: false });
  });
});

describe("400", () => {
  it("with a token that was revoked, and with the next once that has worked and was revoked too, is asked once more", async () => {
    const { service, api } = await startClient();
    await api.surveys();
    service.token.value = "second-token";
    service.answers.set(`${page}1/`, () => ({ json: [] }));
    service.answers.set(`${page}2/`, ({ headers }) => {
      if (headers.authorization !== "bearer second-token") return { json: [] };
      return (response) => {
        void api.records(7, { page: 1, order: "asc" }).then(() => {
          service.token.value = "third-token";
          response.writeHead(400).end("{}");
        });
      };
    });

    expect(await api.records(7, { page: 2, order: "asc" })).toEqual([]);
    expect(service.tokenRequests()).toBe(3);
  });

  it("with a good token is a bad request: no new token is asked for, each time anew", async () => {
    const { service, api } = await startClient();
    service.answers.set(page, () => ({ status: 400, json: {} }));

    for (let i = 0; i < 3; i += 1) {
      await expect(api.records(7, { page: 99, order: "asc" })).rejects.toMatchObject({
        code: "BAD_REQUEST",
        status: 400,
      });
    }

    expect(service.tokenRequests()).toBe(1);
    expect(service.data().map(({ path }) => path)).toEqual(
      // Asked again once the list has shown that the token is good: it may have become known to the service just then.
      Array.from({ length: 3 }, () => [`${page}99/order/asc/`, list, `${page}99/order/asc/`]).flat(),
    );
  });

  it.each([
    ["a revoked token costs one token request", "second-token", { json: [] }, 1],
    ["a good token is a bad request for each of them", TOKEN, { status: 400, json: {} }, 0],
  ] as const)(
    "to fifty callers at once with %s, and two looks at the list at most",
    async (_name, now, met, renewals) => {
      const { service, api } = await startClient({ concurrency: 64 });
      service.answers.set(page, () => met);
      await api.surveys();
      service.token.value = now;
      service.requests.splice(0);
      service.together.count = 50;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, i) => api.records(7, { page: i + 2, order: "asc" })),
      );
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(
        new Set([renewals === 1 ? "fulfilled" : "rejected"]),
      );
      expect(service.tokenRequests()).toBe(renewals);
      expect(service.data().filter(({ path }) => path === list).length).toBeLessThanOrEqual(2);
      expect(service.data().length).toBeLessThanOrEqual(102);
    },
  );

  it("is never told a bad request because of a look at the list that was made before it", async () => {
    const { service, api } = await startClient();
    await api.surveys();
    // The first caller's bad request is looked into; while that look is on its way, the token is revoked, and a second caller is refused.
    const held: (() => void)[] = [];
    service.answers.set(`${page}9/`, () => ({ status: 400, json: {} }));
    service.answers.set(`${page}1/`, () => ({ json: [] }));
    service.answers.set(list, () => (response) => held.push(() => response.end("[]")));
    const first = api.records(7, { page: 9, order: "asc" });
    await eventually(() => expect(held).toHaveLength(1));
    service.token.value = "second-token";
    const second = api.records(7, { page: 1, order: "asc" });
    await eventually(() => expect(service.data().filter(({ path }) => path.startsWith(page))).toHaveLength(2));
    await new Promise((resolve) => setTimeout(resolve, 10));
    held[0]?.();

    await expect(first).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await second).toEqual([]);
    expect(service.tokenRequests()).toBe(2);
  });

  it("to the survey list with every token ends in an error, and in no storm: five renewals in ten minutes", async () => {
    const { service, api, time } = await startClient();
    service.answers.set(list, () => ({ status: 400, json: {} }));

    // The service gives the refused token again, and is asked once more then.
    for (let i = 0; i < 2; i += 1) await expect(api.surveys()).rejects.toMatchObject({ code: "WRONG_TOKEN" });
    for (let i = 0; i < 10; i += 1) {
      await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_RENEWALS", retryable: true });
    }
    expect(service.tokenRequests()).toBe(1 + 5);

    time.now += 10 * MINUTE;
    service.answers.set(list, () => ({ json: [] }));
    expect(await api.surveys()).toEqual([]);
  });
});

describe("a bad request is told only where the token is known to be good, since it may end a list", () => {
  it("not when the new token is refused as well", async () => {
    const { service, api } = await startClient();
    await api.surveys();
    // The service gives out tokens that it does not accept.
    service.token.value = "accepted by nobody";
    service.answers.set("/oauth/token/", inTurn({ json: { token: "second" } }, { json: { token: "third" } }));
    await expect(api.records(7, { page: 2 })).rejects.toMatchObject({ code: "WRONG_TOKEN" });
  });

  it.each<[string, Answer, string]>([
    ["is not there", { status: 404, json: {} }, "SERVER_ERROR"],
    ["is a page", { body: "<html>" }, "UNREADABLE_BODY"],
    ["is no list", { json: { message: "later" } }, "UNREADABLE_BODY"],
  ])("not when the survey list %s", async (_name, answer, code) => {
    const { service, api } = await startClient();
    service.answers.set(page, () => ({ status: 400, json: {} }));
    await api.token();
    service.answers.set(list, () => answer);
    await expect(api.records(7, { page: 2, order: "asc" })).rejects.toMatchObject({
      code,
      operation: "get survey list",
    });
  });

  it("not when the same request succeeds right after: the token became known to the service meanwhile", async () => {
    const { service, api } = await startClient();
    service.answers.set(page, inTurn({ status: 400, json: {} }, { json: [] }));
    expect(await api.records(7, { page: 2, order: "asc" })).toEqual([]);
  });
});

describe("a token store", () => {
  it("that lags behind and gives an old token costs no token request at the end of a list", async () => {
    const { service, api, store, time } = await startClient();
    await api.surveys();
    const old = { token: "old-token", obtainedAt: time.now - 60 * MINUTE, expiresAt: time.now + 60 * 24 * 60 * MINUTE };
    service.answers.set(page, () => ({ status: 400, json: {} }));
    for (let i = 0; i < 8; i += 1) {
      store.kept = old;
      await expect(api.records(7, { page: 2, order: "asc" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    }
    expect(service.tokenRequests()).toBe(1);
    expect(service.data().every(({ headers }) => headers.authorization === `bearer ${TOKEN}`)).toBe(true);
  });

  it.each(["abc\n", "a b", "", "token\r\nx-evil: 1"])(
    "that gives what no header can hold, %j, is not believed",
    async (token) => {
      const { api, store, time } = await startClient();
      store.kept = { token, obtainedAt: time.now, expiresAt: time.now + 60 * 60 * MINUTE };
      expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
      expect(store.kept.token).toBe(TOKEN);
    },
  );
});

describe("tokens that are asked for often, but not because they were refused,", () => {
  it("are no storm: short lives", async () => {
    const { service, api, time } = await startClient();
    for (let minute = 0; minute < 30; minute += 1) {
      service.token.value = jwt({ exp: time.now / 1_000 + 60, minute });
      await api.surveys();
      time.now += MINUTE;
    }
    expect(service.tokenRequests()).toBe(30);
  });

  it("are had as soon as the service gives them again", async () => {
    const { service, api } = await startClient();
    service.answers.set("/oauth/token/", () => ({ status: 400, json: {} }));
    for (let i = 0; i < 30; i += 1) await expect(api.surveys()).rejects.toMatchObject({ operation: "get token" });
    service.answers.set("/oauth/token/", () => ({ json: { token: TOKEN } }));
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
  });
});

it("calls that wait for their turn go out with the newest token, and what renews it goes before them", async () => {
  const { service, api } = await startClient({ concurrency: 4 });
  service.answers.set(page, () => ({ json: [] }));
  await api.surveys();
  service.requests.splice(0);
  service.token.value = "second-token";

  await Promise.all(Array.from({ length: 200 }, (_, i) => api.records(7, { page: i + 1, order: "asc" })));

  const wrong = service.data().filter(({ headers }) => headers.authorization === `bearer ${TOKEN}`);
  expect(wrong.length).toBeLessThanOrEqual(20);
  expect(service.tokenRequests()).toBe(1);
});

it("401 to the survey list is met with a renewal, and is a wrong token if it stays", async () => {
  const service = await startService();
  service.answers.set(list, inTurn({ status: 401, json: {} }, { json: [] }));
  expect(await clientOf(service).api.surveys()).toEqual([]);

  service.answers.set(list, () => ({ status: 401, json: {} }));
  await expect(clientOf(service).api.surveys()).rejects.toMatchObject({ code: "WRONG_TOKEN", status: 401 });
});
