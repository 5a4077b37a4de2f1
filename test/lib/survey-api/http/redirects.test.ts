import { describe, expect, it } from "vitest";
import { redirectWithin } from "../../../../lib/survey-api/http/failures.ts";
import { type Answer, clientOf, inTurn, startClient, startService, TOKEN } from "../support/service.ts";

const moved = (location: string | undefined, status = 302): Answer => ({
  status,
  body: "",
  headers: location === undefined ? {} : { location },
});

describe("a redirect to elsewhere is not followed: nothing is sent there, the token least of all", () => {
  it.each<[string, string | undefined, string | undefined]>([
    ["another port", "https://surveys.example.com:444/a/", undefined],
    ["the port of its scheme", "https://surveys.example.com:443/b/a?c", "/b/a?c"],
    ["another host", "https://elsewhere.example.com/a/", undefined],
    ["another host, without a scheme", "//elsewhere.example.com/a/", undefined],
    ["another host, with backslashes", "\\\\elsewhere.example.com\\a\\", undefined],
    ["another host, behind a slash and a backslash", "/\\elsewhere.example.com/a/", undefined],
    ["another host that looks like a user", "https://surveys.example.com@elsewhere.example.com/a/", undefined],
    ["http", "http://surveys.example.com/a/", undefined],
    ["a script", "javascript:alert(1)", undefined],
    ["a file", "file:///a/", undefined],
    ["what is no address", "http://[::bad/", undefined],
    ["nowhere", undefined, undefined],
    ["the start page", "/", undefined],
    ["something above", "../../a/b/", undefined],
    ["the same with a user, who is not taken along", "//someone:else@surveys.example.com/new/a#x", "/new/a"],
  ])("%s, %j: %s", (_name, location, path) => {
    const answer = { status: 302, headers: location === undefined ? {} : { location }, data: Buffer.alloc(0) };
    const call = { method: "GET", path: "/a/" };
    expect(redirectWithin(answer, call, new URL("https://surveys.example.com"), "/a/")).toBe(path);
  });

  it("not even after one that stays within the service, and the hint names the other host", async () => {
    const service = await startService();
    const other = await startService();
    service.answers.set("/api/v3/surveys/7/", () => moved("/new/api/v3/surveys/7/"));
    service.answers.set("/new/", () => moved(`${other.url}/api/v3/surveys/7/`));
    await expect(clientOf(service).api.survey(7)).rejects.toMatchObject({
      code: "SERVER_ERROR",
      status: 302,
      retryable: false,
      attempts: 1,
      hint: expect.stringContaining(other.url),
    });
    expect(other.connections.accepted).toBe(0);
  });

  it.each(["javascript:alert(1)", "http://[::bad/"])("the hint of %j asks to check `baseUrl`", async (location) => {
    const { service, api } = await startClient();
    service.answers.set("/api/v3/surveys/7/", () => moved(location));
    await expect(api.survey(7)).rejects.toMatchObject({ hint: expect.stringMatching(/^(?!.*null).*baseUrl/) });
  });

  it("cannot smuggle a header into the next request", async () => {
    const { service, api } = await startClient();
    service.answers.set("/api/v3/surveys/7/", () => moved("/%0d%0ax-evil:%201/api/v3/surveys/7/"));
    await expect(api.survey(7)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(service.data()).toHaveLength(1);
    for (const { headers } of service.requests) expect(headers).not.toHaveProperty("x-evil");
  });
});

describe("a redirect within the service", () => {
  it.each([301, 302, 303, 307, 308])("%i is followed with the same request, up to three in a row", async (status) => {
    const { service, api } = await startClient();
    const { host } = new URL(service.url);
    service.answers.set("/api/v3/surveys/7/", () => moved("../7?a=b", status));
    service.answers.set("/api/v3/surveys/7?", () => moved(`${service.url}/elsewhere/%2F/api/v3/surveys/7`, status));
    service.answers.set("/elsewhere/", () => moved(`//someone:else@${host}/new/api/v3/surveys/7/#x`, status));
    service.answers.set("/new/", () => ({ json: { surveyId: 9 } }));

    expect(await api.read("get survey", { surveyId: 7 })).toEqual({ surveyId: 9 });

    const followed = service.requests.slice(1);
    expect(followed.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /api/v3/surveys/7/",
      "GET /api/v3/surveys/7?a=b",
      "GET /elsewhere/%2F/api/v3/surveys/7",
      "GET /new/api/v3/surveys/7/",
    ]);
    // User information in the address is not taken along.
    expect(new Set(followed.map(({ headers }) => headers.authorization))).toEqual(new Set([`bearer ${TOKEN}`]));
  });

  it.each([
    ["/api/v3/surveys/8/", 302],
    ["/api/v3/surveys/", 302],
    ["/api/v3/surveys/", 300],
    ["/api/v3/surveys/", 304],
  ])("to something else, %s, or with another status, %i, is not followed", async (location, status) => {
    const { service, api } = await startClient();
    service.answers.set("/", () => ({ json: [] }));
    service.answers.set("/api/v3/surveys/7/", () => moved(location, status));
    await expect(api.read("get survey", { surveyId: 7 })).rejects.toMatchObject({ code: "SERVER_ERROR", status });
    expect(service.requests).toHaveLength(2);
  });

  it("that goes round and round is left after three", async () => {
    const { service, api } = await startClient();
    service.answers.set("/api/v3/surveys/7/", () => moved("/api/v3/surveys/7/"));
    await expect(api.survey(7)).rejects.toMatchObject({
      code: "SERVER_ERROR",
      message: expect.stringContaining("again and again"),
      retryable: false,
      attempts: 1,
    });
    expect(service.data()).toHaveLength(4);
  });

  it("and a failure behind it is met with another attempt", async () => {
    const { service, api, slept } = await startClient();
    service.answers.set("/api/v3/surveys/7/", () => moved("/new/api/v3/surveys/7/"));
    service.answers.set("/new/", inTurn({ status: 500, json: {} }, { json: [] }));
    expect(await api.read("get survey", { surveyId: 7 })).toEqual([]);
    expect(slept).toEqual([250]);
  });
});

it.each([301, 302, 303, 307, 308])(
  "the token request is not redirected by %i: the credentials go nowhere else",
  async (status) => {
    const { service, api } = await startClient();
    const other = await startService();
    for (const location of ["/elsewhere/", `${other.url}/oauth/token/`]) {
      service.answers.set("/oauth/token/", () => moved(location, status));
      await expect(api.token()).rejects.toMatchObject({
        code: "SERVER_ERROR",
        operation: "get token",
        status,
        retryable: false,
      });
    }
    expect(service.requests).toHaveLength(2);
    expect(other.requests).toEqual([]);
  },
);
