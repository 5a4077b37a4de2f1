import { expect, test } from "vitest";
import { requestToken, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 60 }];

/** Every data request of the document, with the name under which it is counted. */
const documented: [operation: string, path: string][] = [
  ["surveys", "v3/surveys/"],
  ["survey", "v3/surveys/7/"],
  ["questions", "v3/surveys/7/questions/"],
  ["reports", "v3/surveys/7/reports/"],
  ["responses", "v3/surveys/7/responses/"],
  ["responses-page", "v3/surveys/7/responses/page/2/"],
  ["responses-order", "v3/surveys/7/responses/page/1/order/asc/"],
  ["responses-order", "v3/surveys/7/responses/page/2/order/desc/"],
  ["response", "v3/surveys/7/responses/900000/"],
  ["response-by-crk", "v3/surveys/7/responses/crk/my%20key/"],
  ["metrics", "v3/surveys/7/responses/900000/metrics/"],
  ["report-metrics", "v3/surveys/7/reports/71/metrics/"],
  ["metadata", "v3/surveys/7/responses/900000/metadata/"],
  ["v2-surveys", "v2/surveys/"],
  ["v2-survey", "v2/surveys/7/"],
  ["v2-questions", "v2/surveys/7/questions/"],
  ["v2-responses", "v2/surveys/7/responses"],
  ["v2-responses-page", "v2/surveys/7/page/2/responses"],
  ["v2-response", "v2/surveys/7/responses/900000"],
  ["v2-response-by-crk", "v2/surveys/7/crk/my%20key"],
  ["v2-metadata", "v2/surveys/7/responses/900000/metadata/"],
];

async function service() {
  const client = await simulate({ surveys });
  client.simulator.complete(7, 1, { responseId: 900_000, crk: "my key" });
  return client;
}

test("every operation answers 200 with JSON at its documented path and is counted by its name", async () => {
  const client = await service();
  for (const [operation, path] of documented) {
    client.simulator.resetCounters();
    const answer = await client.get(`/api/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(typeof (await answer.json())).toBe("object");
    expect(client.simulator.counters()[operation]).toBe(1);
  }
});

test("the slash at the end is part of the shape, and so is everything else", async () => {
  const client = await service();
  for (const [, path] of documented) {
    const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
    // The v2 and v3 families differ in exactly these slashes; no shape exists in both forms.
    for (const wrong of [`/api/${other}`, `/api/${path}?page=1`, `/API/${path}`, `//api/${path}`])
      expect([wrong, (await client.get(wrong)).status]).toEqual([wrong, 404]);
  }
});

test("other methods, ids that are no integers and things that do not exist are 404", async () => {
  const client = await service();
  const headers = { authorization: `bearer ${await client.token()}`, "content-type": "application/json" };
  const post = await fetch(`${client.simulator.url}/api/v3/surveys/`, { method: "POST", headers });
  expect(post.status).toBe(404);
  expect((await fetch(`${client.simulator.url}/oauth/token/`)).status).toBe(404);
  for (const path of [
    ...["seven/", "8/", "8/responses/", "7/responses/5/", "7/responses/5/metadata/", "7/reports/5/metrics/"],
    ...["7/responses/crk/none-such/", "7/responses/crk/%E0%A4%A/"],
  ])
    expect([path, (await client.get(`/api/v3/surveys/${path}`)).status]).toEqual([path, 404]);
});

test("a page or an order that is none is a bad request", async () => {
  const client = await simulate({ surveys });
  for (const path of [
    ...["0", "-1", "1.5", "two", "99999999999"].map((page) => `page/${page}/order/asc/`),
    ...["ASC", "up", "1"].map((order) => `page/1/order/${order}/`),
  ])
    expect([path, (await client.get(`/api/v3/surveys/7/responses/${path}`)).status]).toEqual([path, 400]);
});

test.each<[string, (token: string) => Record<string, string>]>([
  ["no authorization", () => ({ "content-type": "application/json" })],
  ["a capital Bearer", (token) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" })],
  ["a token alone", (token) => ({ authorization: token, "content-type": "application/json" })],
  ["a wrong token", () => ({ authorization: "bearer wrong", "content-type": "application/json" })],
  ["no content type", (token) => ({ authorization: `bearer ${token}` })],
  ["another content type", (token) => ({ authorization: `bearer ${token}`, "content-type": "text/plain" })],
])("%s is a bad request", async (_, headersWith) => {
  const client = await simulate({ surveys });
  const headers = headersWith(await client.token());
  for (const family of ["v3", "v2"])
    expect((await fetch(`${client.simulator.url}/api/${family}/surveys/`, { headers })).status).toBe(400);
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

test("a token is a JWT that lives as long as it says, or until it is revoked", async () => {
  let now = Date.UTC(2026, 2, 10);
  const client = await simulate({ settings: { tokenLifetimeMs: 1000 }, now: () => now });
  const status = async () => (await client.get("/api/v3/surveys/")).status;
  const [, claims = ""] = (await client.token()).split(".");
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
    ...{ sub: "simulator", iat: now / 1000, exp: now / 1000 + 1 },
  });
  expect(await status()).toBe(200);
  now += 1000;
  expect(await status()).toBe(400);
  now -= 1;
  expect(await status()).toBe(200);
  client.simulator.revokeToken();
  expect(await status()).toBe(400);
});
