import { describe, expect, it } from "vitest";
import { type Config, parseConfig } from "../../../lib/config/index.ts";
import { problemsIn } from "./support/problems.ts";

const baseUrl = "https://surveys.example.com";
const url = "https://crm.example.com/hook";
const DAY = 86_400_000;

function parsed(fields: Record<string, unknown>): Config {
  return parseConfig({ sources: [{ baseUrl }], ...fields }, { deployed: true });
}

/** Paths and messages of what is wrong. */
const problemsOf = (fields: Record<string, unknown>): [path: string, message: string][] =>
  problemsIn(() => parsed(fields)).map(({ path, message }) => [path, message]);

describe("the bus", () => {
  it("has an archive, a schema and a log unless they are switched off one by one", () => {
    expect(parsed({ bus: { archive: false } }).bus).toEqual({
      name: "survey-poller",
      archive: false,
      schemaRegistry: true,
      logging: true,
    });
  });

  it.each(["/surveys/bus-arn", "/a", "/a/b.c/d_e"])("may have the parameter %s", (arnParameter) => {
    expect(parsed({ bus: { arnParameter } }).bus.arnParameter).toBe(arnParameter);
  });

  it.each(["surveys", "/", "/a/", "/aws/x", "/SSM/x", "/a b", "/a//b"])("has no parameter %j", (arnParameter) => {
    expect(problemsOf({ bus: { arnParameter } }).map(([path]) => path)).toEqual(["bus.arnParameter"]);
  });

  it("without an archive nothing is replayed, so claim-check objects need not outlive it", () => {
    const sources = [{ baseUrl, retention: { claimCheck: "20d" } }];
    expect(problemsOf({ sources }).map(([path]) => path)).toEqual(["sources[0].retention.claimCheck"]);
    expect(problemsOf({ sources, bus: { archive: false } })).toEqual([]);
  });
});

describe("subscribers", () => {
  it("are accounts, an organization or both", () => {
    const subscribers = { accounts: ["123456789012"], organizationId: "o-a1b2c3d4e5" };
    expect(parsed({ subscribers }).subscribers).toEqual(subscribers);
    expect(parsed({ subscribers: { organizationId: "o-a1b2c3d4e5" } }).subscribers.accounts).toEqual([]);
  });

  it.each([
    [{ accounts: [123456789012] }, "subscribers.accounts[0]"],
    [{ accounts: ["12345678901"] }, "subscribers.accounts[0]"],
    [{ accounts: ["*"] }, "subscribers.accounts[0]"],
    [{ accounts: "123456789012" }, "subscribers.accounts"],
    [{ accounts: Array.from({ length: 151 }, () => "123456789012") }, "subscribers.accounts"],
    [{ organizationId: "a1b2c3d4e5" }, "subscribers.organizationId"],
    [{ organisationId: "o-a1b2c3d4e5" }, "subscribers.organisationId"],
  ])("%j is named by its path", (subscribers, path) => {
    expect(problemsOf({ subscribers }).map(([found]) => found)).toEqual([path]);
  });
});

describe("a webhook", () => {
  it("is tried for a day at ten events a second, all events, without credentials", () => {
    expect(parsed({ webhooks: [{ name: "crm", url }] }).webhooks).toEqual([
      { name: "crm", url, types: ["response.completed"], ratePerSecond: 10, retry: { maxAge: DAY, attempts: 185 } },
    ]);
  });

  it.each([
    [{ type: "header", header: "X-Token", secret: "a" }, {}],
    [{ type: "header", secret: "crm/key" }, { header: "x-api-key" }],
    [{ type: "bearer", secret: "a" }, {}],
    [{ type: "basic", secret: "crm/key" }, {}],
  ])("takes the credentials %j beside a signature, with %j by default", (auth, byDefault) => {
    const signing = { secret: "a" };
    const [webhook] = parsed({ webhooks: [{ name: "crm", url, auth, signing }] }).webhooks;
    expect(webhook).toMatchObject({ signing, auth: { ...byDefault, ...auth } });
  });

  it.each([
    [{ auth: { type: "header" } }, "auth.secret"],
    [{ auth: { type: "oauth", secret: "a" } }, "auth.type"],
    [{ auth: { type: "bearer", header: "x-api-key", secret: "a" } }, "auth.header"],
    [{ auth: { type: "header", header: "Authorization", secret: "a" } }, "auth.header"],
    [{ auth: { type: "header", header: "Content-Length", secret: "a" } }, "auth.header"],
    [{ auth: { type: "header", header: "x api key", secret: "a" } }, "auth.header"],
    [{ auth: { type: "header", header: "Webhook-Id", secret: "a" } }, "auth.header"],
    [{ auth: { type: "bearer", secret: "a}}{{b" } }, "auth.secret"],
    [
      { auth: { type: "bearer", secret: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:crm-AbCdEf" } },
      "auth.secret",
    ],
    [{ auth: { type: "bearer", secret: "a", token: "hunter2" } }, "auth.token"],
    [{ ratePerSecond: 0 }, "ratePerSecond"],
    [{ ratePerSecond: 301 }, "ratePerSecond"],
    [{ retry: { maxAge: "30s" } }, "retry.maxAge"],
    [{ retry: { maxAge: "25h" } }, "retry.maxAge"],
    [{ retry: { maxAge: "60500ms" } }, "retry.maxAge"],
    [{ retry: { attempts: 186 } }, "retry.attempts"],
    [{ url: "https://crm.example.com/*/hook" }, "url"],
    [{ url: "https://crm.example.com/a b" }, "url"],
    [{ url: `https://crm.example.com/${"a".repeat(2048)}` }, "url"],
    [{ url: "https://crm.example.com/#top" }, "url"],
    [{ where: [] }, "where"],
    [{ types: [] }, "types"],
    [{ types: ["response.complete"] }, "types[0]"],
    [{ credentials: "x" }, "credentials"],
    [{ signing: {} }, "signing.secret"],
    [{ signing: "hunter2" }, "signing"],
    [{ signing: { secret: "whsec_hunter2 " } }, "signing.secret"],
    [{ signing: { secret: "a", token: "hunter2" } }, "signing.token"],
  ])("with %j is refused by its path alone", (fields, path) => {
    const problems = problemsOf({ webhooks: [{ name: "crm", url, ...fields }] });
    expect(problems.map(([found]) => found)).toEqual([`webhooks[0].${path}`]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it.each([
    [["a-b", "a_b"], 'webhooks[1].name: must be unique, but is only "-" or "_" away from webhooks[0].name'],
    [["crm", "b", "crm"], "webhooks[2].name: must be unique, but is the same as webhooks[0].name"],
  ])("has a name of its own, by which its outputs can be told apart: %j", (names, problem) => {
    const problems = problemsOf({ webhooks: names.map((name) => ({ name, url })) });
    expect(problems.map((one) => one.join(": "))).toEqual([problem]);
  });

  it("has its pattern checked by whoever knows the contract, together with everything else", () => {
    const input = {
      sources: [{ baseUrl: "ftp://x" }],
      webhooks: [
        { name: "a", url },
        { name: "b", url, where: { data: { surveyId: [1] } } },
      ],
    };
    const checkPattern = (where: Record<string, unknown>) => [
      { path: [...Object.keys(where), "x", 0], message: "is not there" },
    ];
    expect(() => parseConfig(input, { deployed: true, checkPattern })).toThrow(
      expect.objectContaining({
        problems: [
          { path: "sources[0].baseUrl", message: expect.any(String) },
          { path: "webhooks[1].where.data.x[0]", message: "is not there" },
        ],
      }),
    );
  });
});
