import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AppOptions, createApp, serve, TOKEN_HEADER, tokenFor } from "../../../lib/console/app.ts";
import { createEvents } from "../../../lib/console/events.ts";
import { createFeed } from "../../../lib/console/feed.ts";
import type { EventEnvelope } from "../../../lib/local/aws/index.ts";
import { temporaryFolder } from "../../support/command.ts";
import { ground } from "./support/ground.ts";

const TOKEN = "a-token";
const EVENT_ID = "a4832dd4-21bf-5fe8-b329-5daa55dfb96f";
const HOST = "127.0.0.1:4747";
const detractor = JSON.parse(readFileSync("contract/golden/detractor.json", "utf8")) as EventEnvelope;
const ordinary = JSON.parse(readFileSync("contract/golden/ordinary.json", "utf8")) as EventEnvelope;

type Asking = { method: string; headers: Record<string, string>; body: string };

function app(more: Partial<AppOptions> = {}) {
  const events = createEvents();
  for (const envelope of [detractor, ordinary]) events.add(envelope, Date.parse("2026-03-10T12:00:31Z"));
  const feed = createFeed(ground);
  const pulled: string[] = [];
  const acted: unknown[] = [];
  const made = createApp({
    feed,
    events,
    assets: async () => ({ script: "1", style: "a{}" }),
    token: TOKEN,
    rules: async () => [],
    story: async (id) =>
      id === EVENT_ID ? { sentence: "Emitted.", spans: [], facts: [], at: 1, isWhole: true } : undefined,
    action: async (of) => {
      acted.push(of);
      return ["done"];
    },
    pull: async (kind) => kind === "late" && pulled.push(kind) > 0,
    ...more,
  });
  const ask = (path: string, { method = "GET", headers = {}, body = "" }: Partial<Asking> = {}): Promise<Response> =>
    Promise.resolve(
      made.request(`http://${HOST}${path}`, {
        method,
        headers: { host: HOST, ...headers },
        ...(method === "POST" ? { body } : {}),
      }),
    );
  const get = (path: string): Promise<Response> => ask(path, { headers: { [TOKEN_HEADER]: TOKEN } });
  const post = (path: string, body: unknown = {}): Promise<Response> =>
    ask(path, { method: "POST", headers: { [TOKEN_HEADER]: TOKEN }, body: JSON.stringify(body) });
  return { ask, get, post, pulled, acted, made };
}

describe("who asks", () => {
  it.each([
    ["by another name that leads here", { host: "evil.example.com:4747" }, 403],
    ["by this machine's name", { host: "localhost:4747" }, 200],
    ["from another page", { origin: "https://evil.example.com" }, 403],
    ["from a page of another port", { origin: "http://127.0.0.1:8080" }, 403],
    ["from this page", { origin: `http://${HOST}` }, 200],
    ["from a sandbox", { origin: "null" }, 403],
  ])("%s", async (_who, headers, status) => {
    expect((await app().ask("/", { headers })).status).toBe(status);
  });

  it.each([
    ...["POST /reveal/x", "POST /match", "POST /trouble/late", "POST /actions"],
    ...["GET /feed", `GET /events/${EVENT_ID}`, `GET /stories/${EVENT_ID}`, "GET /rules", "GET /nowhere"],
  ])("gets nothing by %s without the token", async (line) => {
    const [method = "", path = ""] = line.split(" ");
    const { ask, pulled, acted } = app();
    const others: Record<string, string>[] = [{}, { [TOKEN_HEADER]: "another" }, { [TOKEN_HEADER]: "" }];
    for (const headers of others) {
      const answer = await ask(path, { method, headers, body: "{}" });
      expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining("46375")]);
    }
    expect([pulled, acted]).toEqual([[], []]);
  });
});

it("keeps its token with the state of a run, where nobody else reads it", () => {
  const folder = temporaryFolder();
  const token = tokenFor(folder);

  expect(tokenFor(folder)).toBe(token);
  expect(statSync(join(folder, "console-token")).mode & 0o777).toBe(0o600);
  expect(tokenFor(undefined)).not.toBe(tokenFor(undefined));
});

it("serves the page under a policy that loads nothing from elsewhere", async () => {
  const { ask } = app();
  for (const path of ["/", "/main.js", "/style.css", "/icon.svg", "/nowhere"]) {
    const { headers } = await ask(path);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  expect(await (await ask("/")).text()).not.toMatch(/https?:|<script>|style=/);
});

it("masks what is personal until it is asked for", async () => {
  const { get, post } = app();

  const shown = await (await get(`/events/${EVENT_ID}`)).text();
  const revealed = await (await post(`/reveal/${EVENT_ID}`)).text();

  expect(shown).toContain("46375");
  expect(shown).not.toMatch(/203\.0\.113|customer-1042|Very good/);
  expect(JSON.parse(revealed)).toEqual(detractor);
  expect((await get("/events/unknown")).status).toBe(404);
});

it("says how many events match a pattern, and what is wrong with one that is none", async () => {
  const { post } = app();
  const pattern = { detail: { data: { summary: { nps: { class: ["detractor"] } } } } };

  expect(await (await post("/match", pattern)).json()).toEqual({ of: 2, numbers: [1] });
  const refused = await post("/match", { detail: "x" });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: 'Event pattern is not valid. Reason: "detail" must be an object or an array' },
  ]);
});

it("acts where it may, and nowhere else", async () => {
  const { post, acted } = app();
  const readOnly = app({ action: undefined });

  expect(await (await post("/actions", { kind: "audit", source: "main", surveyId: 7 })).json()).toEqual({
    lines: ["done"],
  });
  expect((await post("/actions", { kind: "forget" })).status).toBe(400);
  expect((await post("/actions", { kind: "pause", all: true })).status).toBe(400);
  expect((await readOnly.post("/actions", { kind: "pause" })).status).toBe(403);
  expect((await post("/match", { detail: "x".repeat(200_000) })).status).toBe(413);
  expect([...acted, ...readOnly.acted]).toEqual([{ kind: "audit", source: "main", surveyId: 7 }]);
});

it("pulls the knobs that there are", async () => {
  const { post, pulled } = app();

  expect((await post("/trouble/late")).status).toBe(200);
  expect((await post("/trouble/other")).status).toBe(404);
  expect((await app({ pull: undefined }).post("/trouble/late")).status).toBe(404);
  expect(pulled).toEqual(["late"]);
});

it("is fed by server-sent events, at the port that was asked for or the next that is free", async () => {
  const { made } = app();
  const first = await serve(made, 47_470);
  onTestFinished(() => first.close());
  const second = await serve(made, first.port);
  onTestFinished(() => second.close());
  expect(second.port).toBeGreaterThan(first.port);

  const gone = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${second.port}/feed`, {
    headers: { [TOKEN_HEADER]: TOKEN },
    signal: gone.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const text = (await reader?.read())?.value ?? "";
  gone.abort();

  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  expect(text).toMatch(/^data: \{"run":"run-1",.*\n\n$/);
});
