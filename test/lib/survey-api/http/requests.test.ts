import { describe, expect, it } from "vitest";
import type { SurveyApi } from "../../../../lib/survey-api/index.ts";
import records from "../documents/fixtures/records.json" with { type: "json" };
import { clientOf, startService } from "../support/service.ts";

describe("read()", () => {
  it("gives the JSON of any operation as it was read, documented or not", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    for (const json of [{ anything: ["at", 1.5, null] }, [], null, 0, "", false, { surveyId: "odd" }]) {
      service.answers.set("/api/v3/surveys/7/", () => ({ json }));
      expect(await api.read("get survey", { surveyId: 7 })).toEqual(json);
    }
    service.answers.set("/api/v2/surveys/7/page/2/responses", () => ({ json: { v: 2 } }));
    expect(await api.read("v2 responses, page", { surveyId: 7, page: 2 })).toEqual({ v: 2 });
  });

  it("has the errors of the other functions", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    service.answers.set("/api/v3/surveys/404/", () => ({ status: 404, json: {} }));
    await expect(api.read("get survey", { surveyId: 404 })).rejects.toMatchObject({
      code: "NOT_FOUND",
      operation: "get survey",
      status: 404,
      attempts: 1,
    });
    service.answers.set("/api/v3/surveys/7/", () => ({ body: "{" }));
    await expect(api.read("get survey", { surveyId: 7 })).rejects.toMatchObject({ code: "UNREADABLE_BODY" });
  });
});

describe("the base URL", () => {
  it.each(["", "/", "/prefix", "/prefix/", "/a/b//"])("may end in %j: it goes before every path", async (suffix) => {
    const service = await startService();
    const prefix = suffix.replace(/\/+$/, "");
    service.answers.set(`${prefix}/oauth/token/`, () => ({ json: { token: service.token.value } }));
    for (const path of ["/api/v3/surveys/", "/api/v2/surveys/"])
      service.answers.set(`${prefix}${path}`, () => ({ json: [] }));
    const { api } = clientOf({ url: `${service.url}${suffix}` });

    await api.surveys();
    await api.v2.surveys();

    expect(service.requests.map(({ path }) => path)).toEqual([
      `${prefix}/oauth/token/`,
      `${prefix}/api/v3/surveys/`,
      `${prefix}/api/v2/surveys/`,
    ]);
  });
});

describe("what no path can hold is a RangeError, and nothing is sent:", () => {
  const integers = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "7", "7/../8", null, undefined];
  const calls: [string, (api: SurveyApi, id: number) => Promise<unknown>][] = [
    ["surveyId", (api, id) => api.survey(id)],
    ["surveyId", (api, id) => api.questions(id)],
    ["surveyId", (api, id) => api.reports(id)],
    ["surveyId", (api, id) => api.records(id)],
    ["page", (api, id) => api.records(7, { page: id ?? -1 })],
    ["page", (api, id) => api.records(7, { page: id ?? -1, order: "asc" })],
    ["responseId", (api, id) => api.response(7, id)],
    ["surveyId", (api, id) => api.responseByCrk(id, "crk")],
    ["responseId", (api, id) => api.metrics(7, id)],
    ["reportId", (api, id) => api.reportMetrics(7, id)],
    ["responseId", (api, id) => api.metadata(7, id)],
    ["surveyId", (api, id) => api.v2.survey(id)],
    ["surveyId", (api, id) => api.v2.questions(id)],
    ["surveyId", (api, id) => api.v2.records(id)],
    ["page", (api, id) => api.v2.records(7, { page: id ?? -1 })],
    ["responseId", (api, id) => api.v2.response(7, id)],
    ["surveyId", (api, id) => api.v2.responseByCrk(id, "crk")],
    ["responseId", (api, id) => api.v2.metadata(7, id)],
    ["surveyId", (api, id) => api.read("get survey", { surveyId: id })],
    ["surveyId", (api, id) => api.elements("get survey responses", { surveyId: id })],
  ];

  it.each(calls)("%s of %s", async (name, call) => {
    const service = await startService();
    const { api } = clientOf(service);
    for (const value of integers) {
      // What TypeScript forbids reaches the client all the same, from JavaScript or from JSON.
      const error = await call(api, value as number).catch((thrown: unknown) => thrown);
      expect(error, String(value)).toBeInstanceOf(RangeError);
      expect(error).toHaveProperty("message", expect.stringContaining(name));
    }
    expect(service.requests).toEqual([]);
  });

  it("an order that is none", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    const order = "asc/../../../9" as "asc";
    await expect(api.records(7, { order })).rejects.toThrow(RangeError);
    expect(service.requests).toEqual([]);
  });

  it.each([
    ["empty", ""],
    ["the folder itself", "."],
    ["the one above", ".."],
    ["half a character", "a\uD800"],
    ["no text", 7],
  ])("a crk that is %s", async (_name, crk) => {
    const service = await startService();
    const { api } = clientOf(service);
    for (const call of [api.responseByCrk, api.v2.responseByCrk]) {
      await expect(call(7, crk as string)).rejects.toThrow(RangeError);
    }
    expect(service.requests).toEqual([]);
  });
});

describe("a crk is one segment of the path, whatever characters it has:", () => {
  const odd = [
    "a/b",
    "../../surveys",
    "a b",
    "100%",
    "%2F",
    "a?b=c",
    "a#b",
    "a;b",
    "a\\b",
    "ü🐘",
    "...",
    ".a",
    "a\r\nx-evil: 1",
    "\u0000",
    "+",
    "&=",
    "'\"<>",
    "x".repeat(2_000),
  ];

  it.each(odd)("%j", async (crk) => {
    const service = await startService();
    for (const path of ["/api/v3/surveys/1201/", "/api/v2/surveys/1201/"])
      service.answers.set(path, () => ({ json: records }));
    const { api } = clientOf(service);

    await api.responseByCrk(1201, crk);
    await api.v2.responseByCrk(1201, crk);

    const [v3, v2, ...others] = service.data().map(({ path }) => path);
    expect(others).toEqual([]);
    const inV3 = /^\/api\/v3\/surveys\/1201\/responses\/crk\/([^/?#\s]+)\/$/.exec(v3 ?? "")?.[1];
    const inV2 = /^\/api\/v2\/surveys\/1201\/crk\/([^/?#\s]+)$/.exec(v2 ?? "")?.[1];
    expect(decodeURIComponent(inV3 ?? "")).toBe(crk);
    expect(inV2).toBe(inV3);
  });
});
