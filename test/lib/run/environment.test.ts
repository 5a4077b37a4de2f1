import { describe, expect, it } from "vitest";
import { leaseOwner, readEnvironment } from "../../../lib/run/environment.ts";

const variables = {
  TABLE_NAME: "table",
  BUS_NAME: "bus",
  CLAIM_CHECK_BUCKET: "bucket",
  SECRETS_PREFIX: "Surveys",
  CREDENTIALS_SECRETS: JSON.stringify({ main: "team/surveys" }),
};

describe("the environment of a function", () => {
  it("is read once, as a whole, with a queue of ticks and a proxy where there are", () => {
    const read = {
      tableName: "table",
      busName: "bus",
      claimCheckBucket: "bucket",
      alone: false,
      secrets: { prefix: "Surveys", given: { main: "team/surveys" } },
    };
    expect(readEnvironment({ ...variables, PATH: "/bin" })).toEqual(read);
    const more = { tickQueueUrl: "https://sqs.example.com/ticks", proxy: "http://proxy.example.com:3128" };
    const named = { TICK_QUEUE_URL: more.tickQueueUrl, SURVEY_PROXY: more.proxy };
    expect(readEnvironment({ ...variables, ...named })).toEqual({ ...read, ...more });
  });

  it.each([
    [
      "that lacks something is an error that names all of it",
      { BUS_NAME: "", CREDENTIALS_SECRETS: JSON.stringify({ main: { credentials: "c" } }) },
      /TABLE_NAME.*BUS_NAME.*CLAIM_CHECK_BUCKET.*SECRETS_PREFIX.*CREDENTIALS_SECRETS/,
    ],
    [
      "with secrets that are not JSON is the same error",
      { ...variables, CREDENTIALS_SECRETS: "{" },
      /CREDENTIALS_SECRETS/,
    ],
    [
      "may hold no password of a proxy, which it would not repeat either",
      { ...variables, SURVEY_PROXY: "http://user:hush@proxy.example.com" },
      /SURVEY_PROXY(?!.*hush)/,
    ],
  ])("%s", (_what, broken, message) => {
    const told = { code: "BAD_ENVIRONMENT", message: expect.stringMatching(message) };
    expect(() => readEnvironment(broken)).toThrow(expect.objectContaining(told));
  });
});

describe("the name under which an invocation takes leases", () => {
  it("is another for each, also for one that is delivered twice", () => {
    const names = [1, 2].map(() => leaseOwner({ alone: false }, "request-1"));
    expect(new Set(names).size).toBe(2);
  });

  it("is always the same where nobody else can have it", () => {
    const { alone } = readEnvironment({ ...variables, ALONE: "true" });
    expect(leaseOwner({ alone }, "local")).toBe("local");
  });
});
