import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../lib/config/index.ts";
import { sourceFields } from "../../../lib/config/source.ts";
import { problemsIn } from "./support/problems.ts";

const baseUrl = "https://surveys.example.com";

const problemsOf = (input: unknown, deployed = false) => problemsIn(() => parseConfig(input, { deployed }));

describe("a bad value", () => {
  it.each([
    [{ name: "" }, "name"],
    [{ name: "a b" }, "name"],
    [{ name: "a/b" }, "name"],
    [{ name: "--" }, "name"],
    [{ name: "x".repeat(65) }, "name"],
    [{ baseUrl: "http://example.com" }, "baseUrl"],
    [{ enabled: "yes" }, "enabled"],
    [{ surveys: "some" }, "surveys"],
    [{ surveys: [1] }, "surveys"],
    [{ surveys: {} }, "surveys"],
    [{ surveys: { include: [1], exclude: [2] } }, "surveys"],
    [{ surveys: { include: [] } }, "surveys.include"],
    [{ surveys: { include: [1, "2"] } }, "surveys.include[1]"],
    [{ surveys: { exclude: [0] } }, "surveys.exclude[0]"],
    [{ interval: 60 }, "interval"],
    [{ interval: "1h30m" }, "interval"],
    [{ startFrom: "yesterday" }, "startFrom"],
    [{ startFrom: "2026-02-30" }, "startFrom"],
    [{ startFrom: "2026-1-1" }, "startFrom"],
    [{ startFrom: "2026-01-01T00:00:00Z" }, "startFrom"],
    [{ timeZone: "Europe/Warszawa" }, "timeZone"],
    [{ timeZone: "+02:00" }, "timeZone"],
    [{ timeZone: null }, "timeZone"],
    [{ enrich: { metrics: 1 } }, "enrich.metrics"],
    [{ enrich: true }, "enrich"],
    [{ questions: 1 }, "questions"],
    [{ thresholds: { Effort: [5, 3] } }, "thresholds.Effort"],
    [{ thresholds: { Effort: [3] } }, "thresholds.Effort"],
    [{ thresholds: { Effort: [3, "5"] } }, "thresholds.Effort[1]"],
    [{ privacy: { ip: "hash" } }, "privacy.ip"],
    [{ privacy: { referrer: "truncate" } }, "privacy.referrer"],
    [{ privacy: { findBy: "crk" } }, "privacy.findBy"],
    [{ privacy: { findBy: ["ip"] } }, "privacy.findBy[0]"],
    [{ privacy: { findBy: ["referrer"], referrer: "drop" } }, "privacy.findBy"],
    [{ privacy: { findBy: ["referrer"] }, enrich: { metadata: false } }, "privacy.findBy"],
    [{ advanced: { inlineLimit: 200_000 } }, "advanced.inlineLimit"],
    [{ advanced: { inlineLimit: "1MB" } }, "advanced.inlineLimit"],
    [{ advanced: { enrichmentPatience: "soon" } }, "advanced.enrichmentPatience"],
    [{ advanced: { absentAfter: -1 } }, "advanced.absentAfter"],
    [{ advanced: { backgroundRequests: 0 } }, "advanced.backgroundRequests"],
    [{ advanced: { concurrency: 1.5 } }, "advanced.concurrency"],
    [{ advanced: { concurrency: 257 } }, "advanced.concurrency"],
    [{ maxRequestsPerSecond: 0 }, "maxRequestsPerSecond"],
    [{ advanced: { timeouts: { connect: "0s" } } }, "advanced.timeouts.connect"],
    [{ advanced: { timeouts: { response: "6m" } } }, "advanced.timeouts"],
    [{ advanced: { timeouts: { connect: "80001ms" } } }, "advanced.timeouts"],
    [{ advanced: { headPages: 0 } }, "advanced.headPages"],
    [{ advanced: { rescan: { every: "0s" } } }, "advanced.rescan.every"],
    [{ advanced: { rescan: { full: "week" } } }, "advanced.rescan.full"],
    [{ advanced: { rescan: "7d" } }, "advanced.rescan"],
    [{ advanced: true }, "advanced"],
    [{ retention: { quarantine: "12h" } }, "retention.quarantine"],
    [{ retention: { archive: "36h" } }, "retention.archive"],
    [{ retention: { claimCheck: "43d" } }, "retention.claimCheck"],
    [{ retention: { archive: "47d" } }, "retention.claimCheck"],
    [{ retention: { logs: "2d" } }, "retention.logs"],
    [{ retention: { quarantine: "9999d" } }, "retention.quarantine"],
    [{ eventSource: "aws.surveys" }, "eventSource"],
    [{ eventSource: "" }, "eventSource"],
    [{ logLevel: "verbose" }, "logLevel"],
    [{ credentialsSecret: "" }, "credentialsSecret"],
    [{ credentialsSecret: '{"clientId":"a"}' }, "credentialsSecret"],
    [{ sources: [] }, "sources"],
    [{ sources: { baseUrl } }, "sources"],
    [{ sources: [{ baseUrl }], bus: { name: "default" } }, "bus.name"],
    [{ sources: [{ baseUrl }], bus: { name: "aws.events" } }, "bus.name"],
    [{ sources: [{ baseUrl }], bus: "events" }, "bus"],
    [{ sources: [{ baseUrl }], monitoring: { email: "ops" } }, "monitoring.email"],
    [{ sources: [{ baseUrl }], monitoring: { email: "ops@example.com", alarms: false } }, "monitoring.email"],
    [{ sources: [{ baseUrl }], monitoring: { lagThreshold: "30s" } }, "monitoring.lagThreshold"],
    [{ sources: [{ baseUrl }], monitoring: { runbook: "docs/runbook.md#top" } }, "monitoring.runbook"],
    [{ sources: [{ baseUrl }], monitoring: "most" }, "monitoring"],
    [{ sources: [{ baseUrl }], monitoring: ["full"] }, "monitoring"],
    [{ sources: [{ baseUrl }], webhooks: {} }, "webhooks"],
    [{ sources: [{ baseUrl }], webhooks: [{ name: "crm" }] }, "webhooks[0].url"],
    [{ sources: [{ baseUrl }], webhooks: [{ name: "crm", url: "http://crm.example.com" }] }, "webhooks[0].url"],
    [{ sources: [{ baseUrl }], webhooks: [{ name: "crm", url: "https://a:b@crm.example.com" }] }, "webhooks[0].url"],
  ])("%j is named by its path alone", (fields, path) => {
    const input = "sources" in fields ? fields : { baseUrl, ...fields };
    expect(problemsOf(input).map((problem) => problem.path)).toEqual([path]);
  });

  it.each([null, undefined, 5, "https://surveys.example.com", [], [{ baseUrl }]])("%j is no configuration", (input) => {
    expect(problemsOf(input)).toEqual([{ path: "", message: "must be an object" }]);
  });

  it.each(["0s", "5s", "25s", "61s", "90s"])("deployed, an interval of %s is refused", (interval) => {
    const message = 'must be whole minutes, or "10s", "12s", "15s", "20s" or "30s"';
    expect(problemsOf({ baseUrl, interval }, true)).toEqual([{ path: "interval", message }]);
    expect(problemsOf({ baseUrl, interval }, false)).toEqual([]);
  });

  it("that is missing says what belongs there", () => {
    expect(problemsOf({ name: "main" })).toEqual([
      { path: "baseUrl", message: expect.stringContaining("https://surveys.example.com") },
    ]);
    expect(problemsOf({})).toEqual([{ path: "sources", message: expect.stringContaining("baseUrl") }]);
  });
});

describe("an unknown field", () => {
  it.each([
    [{ sources: [{ baseUrl, intervall: "1m" }] }, "sources[0].intervall", 'did you mean "interval"?'],
    [{ baseUrl, intervall: "1m" }, "intervall", 'did you mean "interval"?'],
    [{ baseUrl, privacy: { IP: "drop" } }, "privacy.IP", 'did you mean "ip"?'],
    [{ baseUrl, surveys: { exlcude: [1] } }, "surveys.exlcude", 'did you mean "exclude"?'],
    [{ baseUrl, retention: { claimcheck: "60d" } }, "retention.claimcheck", 'did you mean "claimCheck"?'],
    [{ sources: [{ baseUrl }], webhook: [] }, "webhook", 'did you mean "webhooks"?'],
    [{ sources: [{ baseUrl }], monitoring: { lvel: "full" } }, "monitoring.lvel", 'did you mean "level"?'],
    [{ sources: [{ baseUrl }], bus: { nmae: "x" } }, "bus.nmae", 'did you mean "name"?'],
    [{ baseUrl, advanced: { rescan: { days: "1d" } } }, "advanced.rescan.days", "the known ones here are every, full"],
    [{ baseUrl, advanced: { headpages: 3 } }, "advanced.headpages", 'did you mean "headPages"?'],
    [{ baseUrl, concurrency: 4 }, "concurrency", 'use "advanced": { "concurrency": … }'],
    [{ sources: [{ baseUrl, rescan: {} }] }, "sources[0].rescan", 'use "advanced": { "rescan": … }'],
    [{ baseUrl, toString: "1d" }, "toString", "unknown field"],
    [{ sources: [{ baseUrl }], interval: "5m" }, "interval", "it belongs into a source"],
    [{ baseUrl, bus: { name: "x" } }, "bus", 'write { "sources": [ { … } ], "bus": … }'],
  ])("of %j is told apart from the known ones", (input, path, message) => {
    expect(problemsOf(input)).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
});

it.each([
  ["different names, the default one counted", ["main", "b", undefined], ["sources[2].name"]],
  ["names that differ in letters and digits, as those of outputs have to", ["eu-1", "eu_1"], ["sources[1].name"]],
  ["which may differ in case alone", ["eu", "EU"], []],
])("several sources must have %s: %j", (_what, names, paths) => {
  const sources = names.map((name) => ({ baseUrl, ...(name && { name }) }));
  const problems = problemsOf({ sources });
  expect(problems.map(({ path }) => path)).toEqual(paths);
  for (const { message } of problems) expect(message).toContain("sources[0].name");
});

describe("the error", () => {
  it("names every bad field at once, in one line", () => {
    const input = {
      sources: [
        { baseUrl: "ftp://x", interval: "1x", retention: { archive: "90d", logs: 3 }, colour: "red" },
        { name: "main", surveys: 3 },
      ],
      bus: { name: "default" },
      webhoks: [],
    };
    const read = () => parseConfig(input, { deployed: true });
    const told = { code: "BAD_CONFIGURATION", retryable: false, hint: expect.stringContaining("examples/") };
    expect(read).toThrow(expect.objectContaining({ ...told, message: expect.stringMatching(/^.*$/) }));
    const problems = problemsIn(read);
    expect(problems.map(({ path }) => path).sort()).toEqual([
      "bus.name",
      "sources[0].baseUrl",
      "sources[0].colour",
      "sources[0].interval",
      "sources[0].retention.claimCheck",
      "sources[0].retention.logs",
      "sources[1].baseUrl",
      "sources[1].name",
      "sources[1].surveys",
      "webhoks",
    ]);
    for (const { path } of problems) expect(read).toThrow(`${path}: `);
  });

  it("names a credential in the wrong place and says where it belongs", () => {
    const [problem] = problemsOf({ baseUrl, clientSecret: "hunter2" });
    expect(problem?.path).toBe("clientSecret");
    expect(problem?.message).toContain("credentials secret");
  });

  it("never repeats a value, wherever it stands", () => {
    const secret = "hunter2-s3cr3t !";
    const fields = [...sourceFields, "clientSecret", "other"];
    const everywhere = (value: unknown) => Object.fromEntries(fields.map((field) => [field, value]));
    const nested = { ip: secret, include: [secret], logs: secret, metrics: secret };
    const advanced = {
      rescan: { every: secret },
      timeouts: { connect: secret },
      concurrency: secret,
      inlineLimit: secret,
    };
    const auth = { type: secret, header: secret, secret };
    const url = "https://crm.example.com";
    const inputs = [
      secret,
      { sources: [everywhere(secret)], bus: secret, monitoring: secret, webhooks: secret, other: secret },
      { sources: [everywhere([secret])], bus: { name: secret }, monitoring: { email: secret }, webhooks: [secret] },
      { sources: [everywhere(nested), everywhere(advanced)], webhooks: [{ name: secret, url: secret, where: secret }] },
      {
        sources: [{ baseUrl: `https://someone:${secret}@example.com` }],
        bus: { arnParameter: secret, archive: secret },
        subscribers: { accounts: [secret], organizationId: secret },
        webhooks: [
          { name: "a", url, auth },
          { name: "b", url, auth: secret, ratePerSecond: secret, retry: { maxAge: secret } },
        ],
      },
    ];
    for (const input of inputs) {
      const problems = problemsOf(input);
      expect(problems.length).toBeGreaterThan(0);
      expect(JSON.stringify(problems)).not.toContain("hunter2");
    }
  });
});
