import { describe, expect, it } from "vitest";
import { redirectWithin } from "../../../../lib/survey-api/http/failures.ts";
import { answer, startHostile } from "../support/hostile.ts";
import { type Answer, clientOf, inTurn, startClient, startService, TOKEN } from "../support/service.ts";

const moved = (location: string | undefined, status = 302): Answer => ({
  status,
  body: "",
  headers: location === undefined ? {} : { location },
});

describe("a redirect to elsewhere is not followed: nothing is sent there, the token least of all", () => {
  it.each<[string, (ports: { own: number; other: number }) => string | undefined]>([
    ["another port", ({ other }) => `http://127.0.0.1:${other}/api/v3/surveys/7/`],
    ["another host", ({ own }) => `http://localhost:${own}/api/v3/surveys/7/`],
    ["another host, without a scheme", ({ other }) => `//127.0.0.1:${other}/api/v3/surveys/7/`],
    ["another host, with backslashes", ({ other }) => `\\\\127.0.0.1:${other}\\api`],
    ["another host, behind a slash and a backslash", ({ other }) => `/\\127.0.0.1:${other}/api`],
    ["another scheme on the same port", ({ own }) => `https://127.0.0.1:${own}/api/v3/surveys/7/`],
    [
      "another host that looks like user information",
      ({ own, other }) => `http://127.0.0.1:${own}@127.0.0.1:${other}/`,
    ],
    ["a script", () => "javascript:alert(1)"],
    ["data", () => 'data:application/json,[{"surveyId":7}]'],
    ["a file", () => "file:///etc/hostname"],
    ["what is no address", () => "http://[::bad/"],
    ["a port that is none", () => "http://127.0.0.1:99999/"],
    ["nowhere", () => undefined],
  ])("%s", async (_name, locationOf) => {
    const service = await startService();
    const other = await startHostile();
    const location = locationOf({ own: Number(new URL(service.url).port), other: other.port });
    service.answers.set("/api/v3/surveys/7/", () => moved(location));

    const error = await clientOf(service)
      .api.survey(7)
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "SERVER_ERROR", status: 302, retryable: false, attempts: 1 });
    expect(error).toHaveProperty("hint", expect.stringContaining("baseUrl"));
    expect(error).toHaveProperty("hint", expect.not.stringContaining("null"));
    expect(other.connections.accepted).toBe(0);
    expect(service.data()).toHaveLength(1);
    expect(service.requests).toHaveLength(2);
  });

  it("nor from https to http of the same host", () => {
    const base = new URL("https://surveys.example.com");
    const to = (location: string) =>
      redirectWithin(
        { status: 302, headers: { location }, data: Buffer.alloc(0) },
        { method: "GET", path: "/a/" },
        base,
        "/a/",
      );
    expect(to("http://surveys.example.com/a/")).toBeUndefined();
    expect(to("https://surveys.example.com:444/a/")).toBeUndefined();
    expect(to("https://surveys.example.com:443/b/a?c")).toBe("/b/a?c");
  });

  it("not even after one that stays within the service", async () => {
    const service = await startService();
    const other = await startService();
    service.answers.set("/api/v3/surveys/7/", () => moved("/new/api/v3/surveys/7/"));
    service.answers.set("/new/", () => moved(`${other.url}/api/v3/surveys/7/`));
    await expect(clientOf(service).api.survey(7)).rejects.toMatchObject({
      status: 302,
      hint: expect.stringContaining(other.url),
    });
    expect(other.requests).toEqual([]);
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

  it.each<[string, number]>([
    ...["/", "/login", "/api/v3/surveys/", "/api/v3/surveys/8/", "../../surveys/17/"].map((to): [string, number] => [
      to,
      302,
    ]),
    ...[300, 304, 305].map((status): [string, number] => ["/api/v3/surveys/", status]),
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

  it("cannot smuggle a header into the next request", async () => {
    const service = await startHostile(answer("", { location: "/%0d%0ax-evil:%201/api/v3/surveys/7/" }, "302 Found"));
    await expect(clientOf(service).api.survey(7)).rejects.toMatchObject({ code: "SERVER_ERROR" });
    expect(service.requests.join("")).not.toMatch(/^x-evil/m);
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
