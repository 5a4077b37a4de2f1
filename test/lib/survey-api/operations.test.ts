import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { SurveyApi } from "../../../lib/survey-api/index.ts";
import { CLIENT_SECRET, clientOf, inTurn, startService, TOKEN } from "./support/service.ts";

const operations: [string, string, (api: SurveyApi) => Promise<unknown>][] = [
  ["2", "/api/v3/surveys/", (api) => api.surveys()],
  ["8 asc", "/api/v3/surveys/7/responses/page/3/order/asc/", (api) => api.responsePage(7, 3, "asc")],
  ["8 desc", "/api/v3/surveys/7/responses/page/1/order/desc/", (api) => api.responsePage(7, 1, "desc")],
  ["9", "/api/v3/surveys/7/responses/42/", (api) => api.response(7, 42)],
  ["11", "/api/v3/surveys/7/responses/42/metrics/", (api) => api.metrics(7, 42)],
  ["13", "/api/v3/surveys/7/responses/42/metadata/", (api) => api.metadata(7, 42)],
];

describe("operation", () => {
  it.each(operations)(
    "%s is the documented request, and gives the JSON as it was read",
    async (_number, path, call) => {
      const service = await startService();
      const body = [{ anything: ["at", 1.5, null] }];
      service.answers.set(path, () => ({ json: body }));
      const { api } = clientOf(service);

      expect(await call(api)).toEqual(body);

      const [seen, ...others] = service.data();
      expect(others).toEqual([]);
      expect(seen).toMatchObject({ method: "GET", path, body: "" });
      expect(seen?.headers).toMatchObject({ authorization: `bearer ${TOKEN}`, "content-type": "application/json" });
    },
  );

  it("1 sends the credentials as a form, without an Authorization header, once", async () => {
    const service = await startService();
    const { api } = clientOf(service, {
      credentials: async () => ({ clientId: "me & you=ü", clientSecret: `${CLIENT_SECRET}+%` }),
    });
    await api.surveys();
    await api.surveys();

    const [seen, ...others] = service.requests.filter(({ path }) => path === "/oauth/token/");
    expect(others).toEqual([]);
    expect(seen?.method).toBe("POST");
    expect(seen?.headers.authorization).toBeUndefined();
    expect(seen?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(Object.fromEntries(new URLSearchParams(seen?.body))).toEqual({
      clientId: "me & you=ü",
      clientSecret: `${CLIENT_SECRET}+%`,
    });
  });

  it("goes under a path of the base URL when it has one", async () => {
    const service = await startService();
    service.answers.set("/prefix/oauth/token/", () => ({ json: "t" }));
    service.answers.set("/prefix/api/v3/surveys/", () => ({ json: [] }));
    const { api } = clientOf({ url: `${service.url}/prefix/` });
    expect(await api.surveys()).toEqual([]);
    expect(service.requests.map(({ path }) => path)).toEqual(["/prefix/oauth/token/", "/prefix/api/v3/surveys/"]);
  });
});

describe("a body", () => {
  const body = JSON.stringify([{ surveyId: 1, name: "Zażółć gęślą jaźń" }]);

  it.each([
    ["gzip", gzipSync(body)],
    ["br", brotliCompressSync(body)],
    ["deflate", deflateSync(body)],
    ["GZIP", gzipSync(body)],
    ["identity", Buffer.from(body)],
  ])("in %s is decoded", async (encoding, bytes) => {
    const service = await startService();
    service.answers.set("/api/v3/surveys/", () => ({ headers: { "content-encoding": encoding }, body: bytes }));
    expect(await clientOf(service).api.surveys()).toEqual(JSON.parse(body));
  });

  it("that is cut inside its compression is asked for again", async () => {
    const service = await startService();
    const headers = { "content-encoding": "gzip" };
    service.answers.set(
      "/api/v3/surveys/",
      inTurn({ headers, body: gzipSync(body).subarray(0, 20) }, { headers, body: gzipSync(body) }),
    );
    expect(await clientOf(service).api.surveys()).toEqual(JSON.parse(body));
  });

  it("that has to be an array and is not is an error, not an empty list", async () => {
    const service = await startService();
    for (const json of [{ data: [] }, { error: "no" }, "text", 7, true]) {
      service.answers.set("/api/v3/surveys/", () => ({ json }));
      await expect(clientOf(service).api.surveys()).rejects.toMatchObject({ code: "UNREADABLE_BODY" });
    }
  });

  it.each([
    ["an array whose indexes have gaps, written as an object", '{"0":{"surveyId":1},"2":{"surveyId":2}}', 2],
    ["an empty one written as null", "null", 0],
    ["one after a byte order mark", '\uFEFF[{"surveyId":1}]', 1],
  ])("that is %s is read", async (_name, text, length) => {
    const service = await startService();
    service.answers.set("/api/v3/surveys/", () => ({ body: text }));
    expect(await clientOf(service).api.surveys()).toHaveLength(length);
  });
});

it("a redirect is not followed: the token must not go to another host", async () => {
  const service = await startService();
  const other = await startService();
  service.answers.set("/api/v3/surveys/", () => ({
    status: 302,
    headers: { location: `${other.url}/api/v3/surveys/` },
  }));
  await expect(clientOf(service).api.surveys()).rejects.toMatchObject({ code: "SERVER_ERROR", retryable: false });
  expect(other.requests).toEqual([]);
});
