import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  createSurveyApi,
  defaultRetryPolicy,
  OptionsError,
  type SurveyApiOptions,
} from "../../../lib/survey-api/index.ts";
import { checkOptions } from "../../../lib/survey-api/options.ts";
import { startClient } from "./support/service.ts";

const SECRET = "p4ss-of-someone";
const right: SurveyApiOptions = {
  baseUrl: "https://surveys.example.com",
  credentials: { clientId: "client", clientSecret: SECRET },
};

function problemOf(options: object): OptionsError {
  try {
    createSurveyApi({ ...right, ...options });
  } catch (error) {
    if (error instanceof OptionsError) return error;
    throw error;
  }
  throw new Error("no problem was found");
}

/** The options that a message says something about, in its order. */
function namesIn({ message }: OptionsError): string[] {
  return Array.from(message.matchAll(/(?:^|; )(\S+(?: survey"\]\S+)?) must /g), ([, name]) => name ?? "").filter(
    (name) => name !== "",
  );
}

// What TypeScript forbids comes all the same, from JavaScript and from configuration that was never checked.
const wrong: [string, object][] = [
  ["baseUrl", { baseUrl: "http://surveys.example.com" }],
  ["baseUrl", { baseUrl: `https://user:${SECRET}@surveys.example.com` }],
  ["baseUrl", { baseUrl: undefined }],
  ["baseUrl", { baseUrl: new URL("https://surveys.example.com") }],
  ["credentials", { credentials: undefined }],
  ["credentials", { credentials: { clientId: "client" } }],
  ["credentials", { credentials: { clientId: "", clientSecret: SECRET } }],
  ["credentials", { credentials: `client:${SECRET}` }],
  ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "5", null].flatMap((value): [string, object][] =>
    ["connect", "headers", "body", "call"].map((name) => [`timeouts.${name}`, { timeouts: { [name]: value } }]),
  ),
  ...[0, -1, 1.5, Number.NaN, "5"].flatMap((value): [string, object][] => [
    ["concurrency", { concurrency: value }],
    ["maxBodyBytes", { maxBodyBytes: value }],
    ["retry.attempts.TIMEOUT", { retry: { attempts: { TIMEOUT: value } } }],
    ['retry.operations["get survey"].UNREACHABLE', { retry: { operations: { "get survey": { UNREACHABLE: value } } } }],
  ]),
  ["maxBodyBytes", { maxBodyBytes: Number.POSITIVE_INFINITY }],
  ["maxRequestsPerSecond", { maxRequestsPerSecond: 0 }],
  ["maxRequestsPerSecond", { maxRequestsPerSecond: Number.NaN }],
  ...["baseDelay", "maxDelay", "longestPause"].flatMap((name): [string, object][] => [
    [`retry.${name}`, { retry: { [name]: -1 } }],
    [`retry.${name}`, { retry: { [name]: Number.NaN } }],
    [`retry.${name}`, { retry: { [name]: 2 ** 31 } }],
  ]),
  ["proxy", { proxy: "proxy.example.com:3128" }],
  ["proxy", { proxy: `socks5://user:${SECRET}@proxy.example.com` }],
  ["proxy", { proxy: `http://user%:${SECRET}@proxy.example.com` }],
  ["proxy", { proxy: "" }],
  ["proxy", { baseUrl: "http://127.0.0.1:8080", proxy: "http://proxy.example.com:3128" }],
];

describe("an option that cannot work", () => {
  it.each(wrong)("is named when the client is made: %s, %j", (name, options) => {
    const error = problemOf(options);
    expect(error).toMatchObject({ code: "OPTIONS", retryable: false, hint: expect.stringMatching(/\S/) });
    expect(namesIn(error)).toEqual([name]);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET);
  });

  it("is named beside all the others", () => {
    const error = problemOf({ baseUrl: "http://surveys.example.com", timeouts: { headers: 0, call: -1 }, proxy: "x" });
    expect(namesIn(error)).toEqual(["baseUrl", "timeouts.headers", "timeouts.call", "proxy"]);
  });
});

it("what is left out has the documented default, also beside what is given", () => {
  expect(checkOptions({ ...right, timeouts: { body: 1 }, retry: { attempts: { TIMEOUT: 7 }, maxDelay: 9 } })).toEqual({
    baseUrl: "https://surveys.example.com",
    timeouts: { connect: 5_000, headers: 30_000, body: 1, call: 120_000 },
    concurrency: 16,
    maxBodyBytes: 8 * 1024 * 1024,
    retry: { ...defaultRetryPolicy, attempts: { ...defaultRetryPolicy.attempts, TIMEOUT: 7 }, maxDelay: 9 },
  });
});

it("nothing is requested, nor are the credentials read, when a client is made and closed", async () => {
  const { service, api, credentialsRead, store } = await startClient();
  await api.close();
  expect(service.connections.accepted).toBe(0);
  expect([credentialsRead(), store.reads, store.writes]).toEqual([0, 0, 0]);
});
