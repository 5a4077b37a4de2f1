import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { listen } from "./support/channels.ts";
import { answer, type Behaviour, cut, head, startHostile } from "./support/hostile.ts";
import {
  type Answer,
  CLIENT_SECRET,
  clientOf,
  inTurn,
  startClient,
  startService,
  TOKEN,
  withToken,
} from "./support/service.ts";

const PERSON = "jane.doe@example.com";
const secrets = [TOKEN, CLIENT_SECRET, PERSON];
const timeouts = { connect: 1_000, headers: 50, body: 50 };

const everything = { depth: 15, showHidden: true, getters: true };

/** All that can be seen of it, by any way of looking. */
function seenOf(value: unknown): string {
  const text = inspect(value, { ...everything, maxStringLength: null, maxArrayLength: null });
  const { stack = "", cause } = (value ?? {}) as { stack?: string; cause?: unknown };
  return [text, JSON.stringify(value), String(value), stack, cause === undefined ? "" : seenOf(cause)].join("\n");
}

function expectNoSecret(value: unknown): void {
  const seen = seenOf(value);
  for (const secret of secrets) expect(seen).not.toContain(secret);
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([call]);
  expect(outcome).toHaveProperty("reason", expect.any(Error));
  return (outcome as PromiseRejectedResult).reason;
}

/** A body that repeats all it was told and all it knows, as names and as values. */
const gossip = {
  error: `${CLIENT_SECRET} ${TOKEN} ${PERSON}`,
  [PERSON]: { [TOKEN]: [{ [CLIENT_SECRET]: PERSON }] },
  data: { name: PERSON, [PERSON]: TOKEN },
};
const text = JSON.stringify(gossip);
/** The answer is longer. */
const begun = `${head("content-length: 9999")}${text}`;

describe("no secret and nothing personal is in an error, however closely it is looked at", () => {
  it.each([301, 400, 401, 404, 429, 500])("with status %i of a data request", async (status) => {
    const service = await startService();
    service.answers.set("/api/v3/surveys/7/", () => ({
      status,
      json: gossip,
      headers: { "x-name": PERSON, location: `http://${PERSON}:${TOKEN}@127.0.0.1:1/${PERSON}?${TOKEN}` },
    }));
    expectNoSecret(await errorOf(clientOf(service).api.responseByCrk(7, PERSON)));
  });

  it.each([200, 301, 400, 401, 404, 429, 500])("with status %i of the token request", async (status) => {
    const service = await startService();
    service.answers.set("/oauth/token/", () => ({ status, json: { error: gossip } }));
    expectNoSecret(await errorOf(clientOf(service).api.surveys()));
  });

  it.each<[string, Answer]>([
    ["another JSON", { json: gossip }],
    ["elements that are none", { json: [gossip, PERSON] }],
    ["elements without an identity", { json: [{ responseId: PERSON, ...gossip }] }],
    ["a map with odd keys", { json: [{ [PERSON]: PERSON }] }],
    ["a text that is no JSON", { body: `${text},` }],
    ["a text that begins like HTML", { body: `<html>${PERSON}${TOKEN}` }],
    ["a JSON text", { json: PERSON }],
  ])("with %s as the body of any operation", async (_name, given) => {
    const { service, api } = await startClient();
    service.answers.set("/api/v3/surveys/7/", () => given);
    const told = listen();
    for (const call of [
      () => api.survey(7),
      () => api.questions(7),
      () => api.records(7, { page: 1 }),
      () => api.responseByCrk(7, PERSON),
      () => api.metrics(7, 1),
      () => api.reportMetrics(7, 1),
    ]) {
      const error = await errorOf(call());
      expectNoSecret(error);
      expect(error).toHaveProperty("excerpt", expect.stringMatching(/^.{1,200}$/));
    }
    expectNoSecret(told);
  });

  it.each<[string, Behaviour]>([
    ["a reset within it", cut(begun, "reset")],
    ["an end within it", cut(begun)],
    ["a broken chunk", cut(`${head("transfer-encoding: chunked")}${text}`)],
    ["a broken header", cut(`HTTP/1.1 200 OK\r\nx-name\u0000: ${text}\r\n\r\n`)],
    ["no HTTP at all", cut(`${PERSON} ${TOKEN}\r\n\r\n${text}`)],
    ["an encoding that it has not", answer(text, { "content-encoding": "gzip" })],
    ["an encoding of an odd name", answer(text, { "content-encoding": PERSON })],
    ["more than fits", answer(text, { "content-length": "99999999" })],
    ["a rest that never comes", (socket) => void socket.write(begun)],
  ])("with a body that meets %s", async (_name, behaviour) => {
    const service = await startHostile(behaviour);
    const told = listen();
    const { api } = withToken(clientOf(service, { timeouts, maxBodyBytes: 10_000 }));
    expectNoSecret(await errorOf(api.responseByCrk(7, PERSON)));
    expectNoSecret(told);
  });

  it("nor is it in those of wrong parameters", async () => {
    const { api } = await startClient();
    expectNoSecret(await errorOf(api.responseByCrk(7, `${PERSON}\uD800`)));
    expectNoSecret(await errorOf(api.records(7, { order: PERSON as "asc" })));
    expectNoSecret(await errorOf(api.survey(PERSON as unknown as number)));
  });
});

it("no secret and nothing personal is told of requests and pauses on a channel", async () => {
  const { service, api, time } = await startClient();
  const told = listen();
  const comment = { [PERSON]: TOKEN };
  const failures = [
    { status: 500, json: gossip },
    { status: 429, json: gossip, headers: { "retry-after": PERSON } },
  ];
  service.answers.set(
    "/api/v3/surveys/7/responses/",
    inTurn(...failures, { json: [{ responseId: 1, completed: 1, comment, [PERSON]: CLIENT_SECRET }] }),
  );
  await api.records(7);
  time.now += 40 * 24 * 3_600_000;
  await api.records(7);

  expect(told.request.length).toBeGreaterThanOrEqual(6);
  expect(told.pause).toHaveLength(1);
  expectNoSecret(told);
});

it("the looking itself would find a secret", () => {
  for (const secret of secrets) {
    const hidden = Object.defineProperty(new Error("x", { cause: new Error("y") }), "s", { value: secret });
    expect(seenOf(hidden)).toContain(secret);
    expect(seenOf(new Error("x", { cause: new Error(secret) }))).toContain(secret);
  }
});
