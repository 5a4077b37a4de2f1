import { describe, expect, test } from "vitest";
import { at, type Row, requestToken, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 60 }];
const settings = { crk: "all" } as const;

/** Every data request of the document, with the name under which it is counted. */
async function paths() {
  const client = await simulate({ surveys, settings });
  const { responseId, records } = at(client.simulator.truth(), 3);
  const crk = String(at(records, 0).crk);
  const v3 = "/api/v3/surveys/";
  const v2 = "/api/v2/surveys/";
  const documented: [string, string][] = [
    ["surveys", v3],
    ["survey", `${v3}7/`],
    ["questions", `${v3}7/questions/`],
    ["reports", `${v3}7/reports/`],
    ["responses", `${v3}7/responses/`],
    ["responses-page", `${v3}7/responses/page/2/`],
    ["responses-order", `${v3}7/responses/page/1/order/asc/`],
    ["responses-order", `${v3}7/responses/page/2/order/desc/`],
    ["response", `${v3}7/responses/${responseId}/`],
    ["response-by-crk", `${v3}7/responses/crk/${crk}/`],
    ["metrics", `${v3}7/responses/${responseId}/metrics/`],
    ["report-metrics", `${v3}7/reports/71/metrics/`],
    ["metadata", `${v3}7/responses/${responseId}/metadata/`],
    ["v2-surveys", v2],
    ["v2-survey", `${v2}7/`],
    ["v2-questions", `${v2}7/questions/`],
    ["v2-responses", `${v2}7/responses`],
    ["v2-responses-page", `${v2}7/page/2/responses`],
    ["v2-response", `${v2}7/responses/${responseId}`],
    ["v2-response-by-crk", `${v2}7/crk/${crk}`],
    ["v2-metadata", `${v2}7/responses/${responseId}/metadata/`],
  ];
  return { client, documented };
}

describe("paths", () => {
  test("every operation answers 200 with JSON at its documented path and is counted by its name", async () => {
    const { client, documented } = await paths();
    for (const [operation, path] of documented) {
      client.simulator.resetCounters();
      const answer = await client.get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get("content-type")).toContain("application/json");
      expect(typeof (await answer.json())).toBe("object");
      expect(client.simulator.counters()[operation]).toBe(1);
    }
  });

  test("the slash at the end is part of the shape, and so is everything else", async () => {
    const { client, documented } = await paths();
    for (const [, path] of documented) {
      const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
      // The v2 and v3 families differ in exactly these slashes; no shape exists in both forms.
      for (const wrong of [other, `${path}?page=1`, path.replace("/api/", "/API/"), `/${path}`])
        expect([wrong, (await client.get(wrong)).status]).toEqual([wrong, 404]);
    }
  });

  test("other methods, ids that are no integers and things that do not exist are 404", async () => {
    const { client } = await paths();
    const headers = { authorization: `bearer ${await client.token()}`, "content-type": "application/json" };
    const post = await fetch(`${client.simulator.url}/api/v3/surveys/`, { method: "POST", headers });
    expect(post.status).toBe(404);
    expect((await fetch(`${client.simulator.url}/oauth/token/`)).status).toBe(404);
    for (const path of [
      "seven/",
      "8/",
      "8/responses/",
      "7/responses/5/",
      "7/responses/5/metadata/",
      "7/reports/5/metrics/",
    ])
      expect([path, (await client.get(`/api/v3/surveys/${path}`)).status]).toEqual([path, 404]);
    expect((await client.get("/api/v3/surveys/7/responses/crk/none-such/")).status).toBe(404);
    expect((await client.get("/api/v3/surveys/7/responses/crk/%E0%A4%A/")).status).toBe(404);
  });

  test.each([
    ...["0", "-1", "1.5", "two", "99999999999"].map((page) => `page/${page}/order/asc/`),
    ...["ASC", "up", "1"].map((order) => `page/1/order/${order}/`),
  ])("%s is a bad request", async (path) => {
    const client = await simulate({ surveys });
    expect((await client.get(`/api/v3/surveys/7/responses/${path}`)).status).toBe(400);
  });
});

describe("headers and tokens", () => {
  test.each([
    ["no authorization", { "content-type": "application/json" }],
    ["a capital Bearer", { authorization: "Bearer TOKEN", "content-type": "application/json" }],
    ["a token alone", { authorization: "TOKEN", "content-type": "application/json" }],
    ["a wrong token", { authorization: "bearer wrong", "content-type": "application/json" }],
    ["no content type", { authorization: "bearer TOKEN" }],
    ["another content type", { authorization: "bearer TOKEN", "content-type": "text/plain" }],
  ])("%s is a bad request", async (_, headers: Record<string, string>) => {
    const client = await simulate({ surveys });
    const token = await client.token();
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace("TOKEN", token)]),
    );
    for (const family of ["v3", "v2"])
      expect((await fetch(`${client.simulator.url}/api/${family}/surveys/`, { headers: sent })).status).toBe(400);
  });

  test("the token is a JWT that names its client and its lifetime", async () => {
    const client = await simulate({ clientId: "me", clientSecret: "mine" });
    const parts = (await client.token()).split(".");
    expect(parts).toHaveLength(3);
    const claims = JSON.parse(Buffer.from(at(parts, 1), "base64url").toString()) as Row;
    expect(claims.sub).toBe("me");
    expect(Number(claims.exp) - Number(claims.iat)).toBe(30 * 86_400);
  });

  test("wrong credentials are 401, a body that is no form with both fields 400", async () => {
    const { simulator } = await simulate();
    expect((await requestToken(simulator, simulator.clientId, "wrong")).status).toBe(401);
    expect((await requestToken(simulator, "wrong", simulator.clientSecret)).status).toBe(401);
    const { clientId, clientSecret, url } = simulator;
    const post = (body: string, type: string) =>
      fetch(`${url}/oauth/token/`, { method: "POST", body, headers: { "content-type": type } });
    const form = "application/x-www-form-urlencoded";
    expect((await post(`clientId=${clientId}&clientSecret=${clientSecret}`, form)).status).toBe(200);
    expect((await post(`clientId=${clientId}`, form)).status).toBe(400);
    expect((await post(JSON.stringify({ clientId, clientSecret }), "application/json")).status).toBe(400);
  });
});
