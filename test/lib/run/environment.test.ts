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
  it("is read once, as a whole", () => {
    expect(readEnvironment({ ...variables, PATH: "/bin" })).toEqual({
      tableName: "table",
      busName: "bus",
      claimCheckBucket: "bucket",
      alone: false,
      secrets: { prefix: "Surveys", given: { main: "team/surveys" } },
    });
  });

  it("that lacks something is an error that names all of it", () => {
    const broken = { BUS_NAME: "", CREDENTIALS_SECRETS: JSON.stringify({ main: { credentials: "c" } }) };
    expect(() => readEnvironment(broken)).toThrow(
      expect.objectContaining({
        code: "BAD_ENVIRONMENT",
        message: expect.stringMatching(/TABLE_NAME.*BUS_NAME.*CLAIM_CHECK_BUCKET.*SECRETS_PREFIX.*CREDENTIALS_SECRETS/),
      }),
    );
  });

  it("names the queue of ticks where there is one", () => {
    const url = "https://sqs.eu-west-1.amazonaws.com/111111111111/ticks";
    expect(readEnvironment({ ...variables, TICK_QUEUE_URL: url }).tickQueueUrl).toBe(url);
  });

  it("may name a proxy, but no password of it, which it would not repeat either", () => {
    const proxy = "http://proxy.example.com:3128";
    expect(readEnvironment({ ...variables, SURVEY_PROXY: proxy }).proxy).toBe(proxy);
    const secret = () => readEnvironment({ ...variables, SURVEY_PROXY: "http://user:hush@proxy.example.com" });
    expect(secret).toThrow(expect.objectContaining({ message: expect.stringMatching(/SURVEY_PROXY(?!.*hush)/) }));
  });

  it("with secrets that are not JSON is the same error, not the parser's", () => {
    expect(() => readEnvironment({ ...variables, CREDENTIALS_SECRETS: "{" })).toThrow(
      expect.objectContaining({ code: "BAD_ENVIRONMENT", message: expect.stringContaining("CREDENTIALS_SECRETS") }),
    );
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
