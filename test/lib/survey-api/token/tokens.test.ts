import { describe, expect, it, vi } from "vitest";
import { type Answer, clientOf, inTurn, startService, TOKEN } from "../support/service.ts";

const list = "/api/v3/surveys/";
const page = "/api/v3/surveys/7/responses/page/";
const MINUTE = 60_000;

/** A JWT with these claims. */
function jwt(claims: object): string {
  return `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;
}

describe("the token", () => {
  it("is asked for once for twenty callers at the same time", async () => {
    const service = await startService();
    const { api, credentialsRead } = clientOf(service);
    await Promise.all(Array.from({ length: 20 }, () => api.surveys()));
    expect(service.tokenRequests()).toBe(1);
    expect(credentialsRead()).toBe(1);
    expect(service.data()).toHaveLength(20);
  });

  it("is taken from the store, without reading the credentials, and kept there when it is new", async () => {
    const service = await startService();
    const first = clientOf(service);
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
    const service = await startService();
    const client = clientOf(service);
    service.token.value = jwt({ exp: client.time.now / 1_000 + life * 60 });
    await client.api.surveys();
    client.time.now += (life - before - 1) * MINUTE;
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(1);

    client.time.now += 2 * MINUTE;
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(2);
  });

  it("near its end is renewed for one caller, while the others go on with it", async () => {
    const service = await startService();
    const client = clientOf(service);
    const old = jwt({ exp: client.time.now / 1_000 + 10 * 3_600 });
    service.token.value = old;
    await client.api.surveys();
    client.time.now += 9.5 * 60 * MINUTE;
    service.acceptsAlso.add(old);
    service.token.value = "second-token";

    await Promise.all(Array.from({ length: 10 }, () => client.api.surveys()));

    expect(service.tokenRequests()).toBe(2);
    const bearers = service
      .data()
      .slice(1)
      .map(({ headers }) => headers.authorization);
    expect(bearers.filter((bearer) => bearer === `bearer ${old}`)).toHaveLength(9);
    expect(await client.api.token()).toBe("second-token");
  });

  it("near its end goes on being used when no other is to be had, and is asked for again minutes later", async () => {
    const service = await startService();
    const client = clientOf(service);
    service.token.value = jwt({ exp: client.time.now / 1_000 + 10 * 3_600 });
    await client.api.surveys();
    client.time.now += 9.5 * 60 * MINUTE;
    service.answers.set("/oauth/token/", () => ({ status: 401, json: {} }));

    await client.api.surveys();
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(2);

    client.time.now += 5 * MINUTE;
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(3);

    client.time.now += 30 * MINUTE;
    await expect(client.api.surveys()).rejects.toMatchObject({ code: "WRONG_CREDENTIALS" });
  });

  it("that is kept in the store and near its end is used when no other is to be had", async () => {
    const service = await startService();
    const client = clientOf(service);
    const { now } = client.time;
    client.store.kept = { token: TOKEN, obtainedAt: now - 100 * 60 * MINUTE, expiresAt: now + 30 * MINUTE };
    service.answers.set("/oauth/token/", () => ({ status: 404, json: {} }));
    expect(await client.api.surveys()).toEqual([{ surveyId: 1 }]);
  });

  it.each([
    ["without claims of its own", "an-opaque-token", { expires_in: 3_600 }],
    ["as text", "an-opaque-token", { expiresIn: "3600" }],
    ["whose claims name no end", jwt({ sub: "me" }), { expires_in: 3_600 }],
  ])("%s lives as long as `expires_in` beside it says", async (_name, token, beside) => {
    const service = await startService();
    const client = clientOf(service);
    service.token.value = token;
    service.answers.set("/oauth/token/", () => ({ json: { data: { token }, ...beside } }));
    await client.api.surveys();
    expect(client.store.kept).toEqual({
      token,
      obtainedAt: client.time.now,
      expiresAt: client.time.now + 60 * MINUTE,
    });
    client.time.now += 53 * MINUTE;
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(1);
    client.time.now += 2 * MINUTE;
    await client.api.surveys();
    expect(service.tokenRequests()).toBe(2);
  });

  it.each([0, -1, null, "soon", 1e300, [], {}])("is not spoilt by an `expires_in` of %j", async (expires_in) => {
    const service = await startService();
    const { api, store, time } = clientOf(service);
    service.answers.set("/oauth/token/", () => ({ json: { token: TOKEN, expires_in } }));
    await api.surveys();
    expect(store.kept?.expiresAt).toBe(time.now + 30 * 24 * 60 * MINUTE);
  });

  it("is believed before `expires_in` where its claim can be right", async () => {
    const service = await startService();
    const { api, store, time } = clientOf(service);
    service.token.value = jwt({ exp: time.now / 1_000 + 7_200 });
    service.answers.set("/oauth/token/", () => ({ json: { token: service.token.value, expires_in: 60 } }));
    await api.surveys();
    expect(store.kept?.expiresAt).toBe(time.now + 120 * MINUTE);
  });

  it.each([-3_600, 0, 2, 29])(
    "whose end is %i s ahead when it comes, as two clocks may differ, is used until it is refused",
    async (ahead) => {
      const service = await startService();
      const client = clientOf(service);
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

  it.each<[string, object, object]>([
    ["from `iat` to `exp`", { iat: -86_395, exp: 5 }, {}],
    ["as `expires_in` says", { exp: 5 }, { expires_in: 86_400 }],
  ])("whose end is a moment ahead when it comes lives %s", async (_name, ahead, beside) => {
    const service = await startService();
    const { api, store, time } = clientOf(service);
    const claims = Object.fromEntries(Object.entries(ahead).map(([name, by]) => [name, time.now / 1_000 + by]));
    const token = jwt(claims);
    service.token.value = token;
    service.answers.set("/oauth/token/", () => ({ json: { token, ...beside } }));
    await api.surveys();
    expect(store.kept?.expiresAt).toBe(time.now + 24 * 60 * MINUTE);
  });

  it("works also when it cannot be kept", async () => {
    const service = await startService();
    const { api } = clientOf(service, {
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
  it("with a revoked token is met with one renewal, and the request is made again", async () => {
    const service = await startService();
    service.answers.set(page, () => ({ json: [] }));
    const { api, store } = clientOf(service);
    await api.surveys();
    service.token.value = "second-token";

    expect(await api.records(7, { page: 1, order: "asc" })).toEqual([]);

    expect(service.tokenRequests()).toBe(2);
    expect(store.kept?.token).toBe("second-token");
  });

  it("with a token that was revoked, and with the next once that has worked and was revoked too, is asked once more", async () => {
    const service = await startService();
    const { api } = clientOf(service);
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

  it("with a token that someone else has renewed takes theirs, and asks for none", async () => {
    const service = await startService();
    const { api, store, time } = clientOf(service);
    await api.surveys();
    service.token.value = "their-token";
    store.kept = { token: "their-token", obtainedAt: time.now, expiresAt: time.now + 60 * 60 * MINUTE };

    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);

    expect(service.tokenRequests()).toBe(1);
  });

  it("with a good token is a bad request: no new token is asked for, each time anew", async () => {
    const service = await startService();
    service.answers.set(page, () => ({ status: 400, json: {} }));
    const { api } = clientOf(service);

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

  it("to fifty callers at once with a revoked token costs one token request, and two looks at the list at most", async () => {
    const service = await startService();
    service.answers.set(page, () => ({ json: [] }));
    const { api } = clientOf(service, { concurrency: 64 });
    await api.records(7, { page: 1, order: "asc" });
    service.token.value = "second-token";
    const before = service.data().length;
    service.together.count = 50;

    await Promise.all(Array.from({ length: 50 }, (_, i) => api.records(7, { page: i + 1, order: "asc" })));

    expect(service.tokenRequests()).toBe(2);
    const looks = service
      .data()
      .slice(before)
      .filter(({ path }) => path === list);
    expect(looks.length).toBeLessThanOrEqual(2);
    expect(service.data().length - before).toBeLessThanOrEqual(102);
  });

  it("to fifty callers with a good token is a bad request for each of them, and no new token", async () => {
    const service = await startService();
    service.answers.set(page, () => ({ status: 400, json: {} }));
    const { api } = clientOf(service, { concurrency: 64 });
    await api.surveys();
    service.requests.splice(0);
    service.together.count = 50;
    const calls = Array.from({ length: 50 }, (_, i) => api.records(7, { page: i + 2, order: "asc" }));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect(service.tokenRequests()).toBe(0);
    expect(service.data().filter(({ path }) => path === list).length).toBeLessThanOrEqual(2);
  });

  it("is never told a bad request because of a look at the list that was made before it", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    await api.surveys();
    // The first caller's bad request is looked into; while that look is on its way, the token is revoked, and a second caller is refused.
    const held: (() => void)[] = [];
    service.answers.set(`${page}9/`, () => ({ status: 400, json: {} }));
    service.answers.set(`${page}1/`, () => ({ json: [] }));
    service.answers.set(list, () => (response) => held.push(() => response.end("[]")));
    const first = api.records(7, { page: 9, order: "asc" });
    await vi.waitFor(() => expect(held).toHaveLength(1), { interval: 1 });
    service.token.value = "second-token";
    const second = api.records(7, { page: 1, order: "asc" });
    await vi.waitFor(() => expect(service.data().filter(({ path }) => path.startsWith(page))).toHaveLength(2), {
      interval: 1,
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    held[0]?.();

    await expect(first).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await second).toEqual([]);
    expect(service.tokenRequests()).toBe(2);
  });

  it("to the survey list with every token ends in an error, and in no storm: five renewals in ten minutes", async () => {
    const service = await startService();
    service.answers.set(list, () => ({ status: 400, json: {} }));
    const { api, time } = clientOf(service);

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
    const service = await startService();
    const { api } = clientOf(service);
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
    const service = await startService();
    service.answers.set(page, () => ({ status: 400, json: {} }));
    const { api } = clientOf(service);
    await api.token();
    service.answers.set(list, () => answer);
    await expect(api.records(7, { page: 2, order: "asc" })).rejects.toMatchObject({
      code,
      operation: "get survey list",
    });
  });

  it("not when the same request succeeds right after: the token became known to the service meanwhile", async () => {
    const service = await startService();
    service.answers.set(page, inTurn({ status: 400, json: {} }, { json: [] }));
    const { api } = clientOf(service);
    expect(await api.records(7, { page: 2, order: "asc" })).toEqual([]);
  });
});

describe("a token store", () => {
  it("that lags behind and gives an old token costs no token request at the end of a list", async () => {
    const service = await startService();
    const { api, store, time } = clientOf(service);
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
      const service = await startService();
      const { api, store, time } = clientOf(service);
      store.kept = { token, obtainedAt: time.now, expiresAt: time.now + 60 * 60 * MINUTE };
      expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
      expect(store.kept.token).toBe(TOKEN);
    },
  );
});

describe("tokens that are asked for often, but not because they were refused,", () => {
  it("are no storm: short lives", async () => {
    const service = await startService();
    const { api, time } = clientOf(service);
    for (let minute = 0; minute < 30; minute += 1) {
      service.token.value = jwt({ exp: time.now / 1_000 + 60, minute });
      await api.surveys();
      time.now += MINUTE;
    }
    expect(service.tokenRequests()).toBe(30);
  });

  it("are had as soon as the service gives them again, unless it was asked twenty times in vain", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    service.answers.set("/oauth/token/", () => ({ status: 400, json: {} }));
    for (let i = 0; i < 19; i += 1) await expect(api.surveys()).rejects.toMatchObject({ operation: "get token" });
    const good = { json: { token: TOKEN } };
    service.answers.set("/oauth/token/", () => good);
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);

    const other = clientOf(service);
    service.answers.set("/oauth/token/", () => ({ status: 404, json: {} }));
    for (let i = 0; i < 30; i += 1) await expect(other.api.surveys()).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(service.tokenRequests()).toBe(20 + 20);
    other.time.now += 10 * MINUTE;
    service.answers.set("/oauth/token/", () => good);
    expect(await other.api.surveys()).toEqual([{ surveyId: 1 }]);
  });

  it("nor are they blocked by a clock that is set back", async () => {
    const service = await startService();
    service.answers.set(list, () => ({ status: 400, json: {} }));
    const { api, time } = clientOf(service, { monotonic: () => performance.now() });
    for (let i = 0; i < 8; i += 1) await expect(api.surveys()).rejects.toThrow();
    await expect(api.surveys()).rejects.toMatchObject({ code: "TOO_MANY_RENEWALS" });
    time.now -= 6 * 60 * MINUTE;
    service.answers.set(list, () => ({ json: [] }));
    service.token.value = "second-token";
    expect(await api.surveys()).toEqual([]);
  });
});

it("calls that wait for their turn go out with the newest token, and what renews it goes before them", async () => {
  const service = await startService();
  service.answers.set(page, () => ({ json: [] }));
  const { api } = clientOf(service, { concurrency: 4 });
  await api.surveys();
  service.requests.splice(0);
  service.token.value = "second-token";

  await Promise.all(Array.from({ length: 200 }, (_, i) => api.records(7, { page: i + 1, order: "asc" })));

  const wrong = service.data().filter(({ headers }) => headers.authorization === `bearer ${TOKEN}`);
  expect(wrong.length).toBeLessThanOrEqual(20);
  expect(service.tokenRequests()).toBe(1);
});

describe("401", () => {
  it("to the survey list is met with a renewal, and is a wrong token if it stays", async () => {
    const service = await startService();
    service.answers.set(list, inTurn({ status: 401, json: {} }, { json: [] }));
    expect(await clientOf(service).api.surveys()).toEqual([]);

    service.answers.set(list, () => ({ status: 401, json: {} }));
    await expect(clientOf(service).api.surveys()).rejects.toMatchObject({ code: "WRONG_TOKEN", status: 401 });
  });

  it("to one request, while the token opens the list, is not allowed: no other token is asked for", async () => {
    const service = await startService();
    service.answers.set(page, () => ({ status: 401, json: {} }));
    const { api } = clientOf(service);

    await expect(api.records(7, { page: 1, order: "asc" })).rejects.toMatchObject({ code: "NOT_ALLOWED", status: 401 });

    expect(service.tokenRequests()).toBe(1);
  });
});
