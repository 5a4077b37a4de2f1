import { describe, expect, it } from "vitest";
import { type DataOperation, operations } from "../../../../lib/survey-api/index.ts";
import { pathOf } from "../../../../lib/survey-api/paths.ts";
import records from "../documents/fixtures/records.json" with { type: "json" };
import { CLIENT_SECRET, clientOf, inTurn, startClient, startService, TOKEN } from "../support/service.ts";

describe("1 get token", () => {
  it("sends the credentials as a form, without the headers of the others, and once, for both families", async () => {
    const { service, api } = await startClient({
      credentials: { clientId: "me & you=ü", clientSecret: `${CLIENT_SECRET}+%` },
    });
    service.answers.set("/api/v2/surveys/", () => ({ json: [] }));
    expect([await api.token(), await api.token()]).toEqual([TOKEN, TOKEN]);
    await api.surveys();
    await api.v2.surveys();

    const [seen, ...others] = service.requests;
    expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /api/v3/surveys/",
      "GET /api/v2/surveys/",
    ]);
    expect(seen).toMatchObject({
      method: "POST",
      path: "/oauth/token/",
      body: `clientId=me+%26+you%3D%C3%BC&clientSecret=${CLIENT_SECRET}%2B%25`,
    });
    expect(seen?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(seen?.headers).not.toHaveProperty("authorization");
  });
});

it("a data request has neither cookies nor a body that comes in parts", async () => {
  const { service, api } = await startClient();
  await api.surveys();
  const [{ headers } = { headers: undefined }] = service.data();
  const wanted = { host: new URL(service.url).host, "accept-encoding": "gzip, br", "cache-control": "no-cache" };
  expect(headers).toMatchObject(wanted);
  for (const name of ["cookie", "transfer-encoding"]) expect(headers).not.toHaveProperty(name);
});

it("request(): a GET of any path, with token and retries, that gives its JSON", async () => {
  const { service, api } = await startClient();
  service.answers.set("/api/v4/", inTurn({ status: 500, json: {} }, { json: { surveys: [1] } }));
  expect(await api.request("/api/v4/surveys/?page=2")).toEqual({ surveys: [1] });
  expect(service.data().map(({ method, path }) => `${method} ${path}`)).toEqual(
    Array.from({ length: 2 }, () => "GET /api/v4/surveys/?page=2"),
  );
  expect(service.data()[0]?.headers.authorization).toBe(`bearer ${TOKEN}`);
  await expect(api.request("/api/v5/")).rejects.toMatchObject({ code: "NOT_FOUND", operation: "request" });
  for (const path of ["", "surveys/", "//elsewhere.example.com/", "/a/../b", "/a b", "/a#b", "/\\a"])
    await expect(api.request(path)).rejects.toThrow(RangeError);
});

it.each(["", "/", "/prefix/", "/a/b//"])("the base URL may end in %j: it goes before every path", async (suffix) => {
  const service = await startService();
  const prefix = suffix.replace(/\/+$/, "");
  service.answers.set(`${prefix}/oauth/token/`, () => ({ json: { token: service.token.value } }));
  service.answers.set(`${prefix}/api/v3/surveys/`, () => ({ json: [] }));
  await clientOf({ url: `${service.url}${suffix}` }).api.surveys();
  expect(service.requests.map(({ path }) => path)).toEqual([`${prefix}/oauth/token/`, `${prefix}/api/v3/surveys/`]);
});

describe("what no path can hold is a RangeError, and nothing is sent:", () => {
  const right = { surveyId: 7, page: 1, responseId: 9, reportId: 71, order: "asc", crk: "c", path: "/" };
  const odd = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "7", "7/../8", null, undefined];
  const data = Object.keys(operations).filter((name) => !["get token", "request"].includes(name)) as DataOperation[];

  it.each(data)("a number of %s", async (operation) => {
    const { service, api } = await startClient();
    const path = pathOf(operation, right as never);
    for (const name of ["surveyId", "page", "responseId", "reportId"] as const) {
      // Only what the path holds.
      if (pathOf(operation, { ...right, [name]: 4_711 } as never) === path) continue;
      for (const value of odd) {
        // What TypeScript forbids reaches the client all the same, from JavaScript or from JSON.
        const error = await api
          .read(operation, { ...right, [name]: value } as never)
          .catch((thrown: unknown) => thrown);
        expect(error, String(value)).toBeInstanceOf(RangeError);
        expect(error).toHaveProperty("message", expect.stringContaining(name));
      }
    }
    expect(service.requests).toEqual([]);
  });

  it("an order that is none, and a crk that is no segment of a path", async () => {
    const { service, api } = await startClient();
    const order = "asc/../../../9" as "asc";
    await expect(api.records(7, { order })).rejects.toThrow(RangeError);
    for (const crk of ["", ".", "..", "a\uD800", 7]) {
      for (const call of [api.responseByCrk, api.v2.responseByCrk])
        await expect(call(7, crk as string), String(crk)).rejects.toThrow(RangeError);
    }
    expect(service.requests).toEqual([]);
  });
});

it("a crk is one segment of the path, whatever characters it has", async () => {
  const { service, api } = await startClient();
  for (const path of ["/api/v3/surveys/1201/", "/api/v2/surveys/1201/"])
    service.answers.set(path, () => ({ json: records }));
  const texts = ["a/b", "../../surveys", "a b", "100%", "%2F", "a?b=c", "a#b", "a;b", "a\\b", "ü🐘", "...", ".a"];
  for (const crk of [...texts, "a\r\nx-evil: 1", "\u0000", "+", "&=", "'\"<>", "x".repeat(2_000)]) {
    service.requests.splice(0);
    await api.responseByCrk(1201, crk);
    await api.v2.responseByCrk(1201, crk);
    const [v3, v2, ...others] = service.data().map(({ path }) => path);
    expect(others).toEqual([]);
    const inV3 = /^\/api\/v3\/surveys\/1201\/responses\/crk\/([^/?#\s]+)\/$/.exec(v3 ?? "")?.[1];
    const inV2 = /^\/api\/v2\/surveys\/1201\/crk\/([^/?#\s]+)$/.exec(v2 ?? "")?.[1];
    expect(decodeURIComponent(inV3 ?? "")).toBe(crk);
    expect(inV2).toBe(inV3);
  }
});
