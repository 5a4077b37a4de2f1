import { describe, expect, test } from "vitest";
import type { Settings } from "../../../../lib/local/simulator/index.ts";
import { noon, requestToken, simulate } from "./support.ts";

const jwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;

test.each<[Settings["tokenBody"], string, (text: string) => unknown]>([
  ["raw", "text/plain", (text) => text],
  ["token", "application/json", (text) => JSON.parse(text).token],
  ["access_token", "application/json", (text) => JSON.parse(text).access_token],
  ["form", "application/x-www-form-urlencoded", (text) => new URLSearchParams(text).get("access_token")],
])("token body %s", async (tokenBody, type, find) => {
  const { simulator } = await simulate({ settings: { tokenBody } });
  const answer = await requestToken(simulator, simulator.clientId, simulator.clientSecret);
  expect(answer.headers.get("content-type")).toContain(type);
  const token = find(await answer.text());
  expect(token).toMatch(jwt);
  const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
  expect((await fetch(`${simulator.url}/api/v3/surveys/`, { headers })).status).toBe(200);
});

describe("tokens", () => {
  test("a token lives as long as set, and an expired one is a bad request", async () => {
    let now = noon;
    const client = await simulate({ settings: { tokenLifetimeMs: 1000 }, now: () => now });
    expect((await client.get("/api/v3/surveys/")).status).toBe(200);
    now += 999;
    expect((await client.get("/api/v3/surveys/")).status).toBe(200);
    now += 1;
    expect((await client.get("/api/v3/surveys/")).status).toBe(400);
  });

  test("revokeToken ends every token, not the next one", async () => {
    const client = await simulate();
    const old = await client.token();
    client.simulator.revokeToken();
    const fresh = await client.token();
    expect(await status(client.simulator.url, old)).toBe(400);
    expect(await status(client.simulator.url, fresh)).toBe(200);
  });

  test.each([
    [false, 200],
    [true, 400],
  ])("newTokenRevokesOlder %s", async (newTokenRevokesOlder, expected) => {
    const client = await simulate({ settings: { newTokenRevokesOlder } });
    const old = await client.token();
    await client.token();
    expect(await status(client.simulator.url, old)).toBe(expected);
  });
});

async function status(url: string, token: string): Promise<number> {
  const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
  return (await fetch(`${url}/api/v3/surveys/`, { headers })).status;
}
