import { describe, expect, it } from "vitest";
import { type ConfigInput, parseConfig } from "../../../lib/config/index.ts";

const baseUrl = "https://surveys.example.com";
const deployed = { deployed: true };
const local = { deployed: false };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The only source of a configuration. */
function source(input: Record<string, unknown>, options = local) {
  return parseConfig({ baseUrl, ...input }, options).sources[0];
}

describe("the defaults", () => {
  it("fill up an object that is given in part", () => {
    expect(
      source({ enrich: { metadata: false }, advanced: { timeouts: { connect: "1s" }, rescan: { full: "1d" } } }),
    ).toMatchObject({
      enrich: { metrics: true, metadata: false },
      timeouts: { connect: 1_000, response: 30_000 },
      rescan: { every: 15 * MINUTE, full: DAY },
    });
  });
});

describe("the forms", () => {
  it("a bare source object is the same as a list of it", () => {
    expect(parseConfig({ baseUrl, interval: "5m" }, deployed)).toEqual(
      parseConfig({ sources: [{ baseUrl, interval: "5m" }] }, deployed),
    );
  });

  it("takes everything beside the sources", () => {
    const { bus, monitoring, webhooks } = parseConfig(
      {
        sources: [{ baseUrl }],
        bus: { name: "team.surveys" },
        monitoring: { email: "ops@example.com", dashboard: true },
        webhooks: [{ name: "crm", url: "https://crm.example.com/hook?key=1", where: { data: { surveyId: [1] } } }],
      },
      deployed,
    );
    expect(bus).toMatchObject({ name: "team.surveys" });
    expect(monitoring).toMatchObject({ level: "minimal", email: "ops@example.com", alarms: true, dashboard: true });
    expect(webhooks).toMatchObject([
      { name: "crm", url: "https://crm.example.com/hook?key=1", where: { data: { surveyId: [1] } } },
    ]);
  });

  it("takes monitoring as a level alone or as a section, with a dashboard where it is full", () => {
    const of = (monitoring: ConfigInput["monitoring"]) =>
      parseConfig({ sources: [{ baseUrl }], monitoring }, deployed).monitoring;
    expect(of("full")).toEqual(of({ level: "full" }));
    expect(of("minimal")).toEqual(of({}));
    expect(of("full")).toMatchObject({ level: "full", alarms: true, dashboard: true });
    expect(of({ level: "full", dashboard: false, lagThreshold: "2h" })).toMatchObject({
      dashboard: false,
      lagThreshold: 120 * MINUTE,
    });
  });

  it("keeps several sources in their order", () => {
    const sources = ["main", "second", "third"].map((name) => ({ name, baseUrl }));
    expect(parseConfig({ sources }, deployed).sources.map(({ name }) => name)).toEqual(["main", "second", "third"]);
  });

  it("leaves the input as it is, so that it can travel as JSON and be parsed again to the same", () => {
    const input = {
      baseUrl: `${baseUrl}/`,
      interval: "5m",
      surveys: { include: [2, 1] },
      retention: { archive: "40d" },
    };
    const before = JSON.stringify(input);
    const parsed = parseConfig(input, deployed);
    expect(JSON.stringify(input)).toBe(before);
    expect(parseConfig(JSON.parse(before), deployed)).toEqual(parsed);
  });
});

describe("the fields", () => {
  it.each(["0s", "50ms", "90s", "1m"])("locally any interval: %s", (interval) => {
    expect(source({ interval }, local)?.interval).toBeLessThanOrEqual(90_000);
  });

  it.each([
    ["1m", MINUTE],
    ["60s", MINUTE],
    ["2h", 120 * MINUTE],
    ["10s", 10_000],
    ["12s", 12_000],
    ["15s", 15_000],
    ["20000ms", 20_000],
    ["30s", 30_000],
  ])("deployed whole minutes and what divides one, however written: %s", (interval, milliseconds) => {
    expect(source({ interval }, deployed)?.interval).toBe(milliseconds);
  });

  it("a claim check may expire exactly 14 days after the archive", () => {
    expect(source({ retention: { archive: "50d", claimCheck: "64d" } })?.retention.claimCheck).toBe(64 * DAY);
  });

  it("a request may take exactly an eighth of what an invocation has for them", () => {
    expect(source({ advanced: { timeouts: { connect: "20s", response: "90s" } } })?.timeouts).toEqual({
      connect: 20_000,
      response: 90_000,
    });
    expect(() => source({ advanced: { timeouts: { connect: "20s", response: "91s" } } })).toThrow(
      "timeouts: connect and response must be at most 110s together, and are 111s",
    );
  });

  it("a rate may be a fraction", () => {
    expect(source({ maxRequestsPerSecond: 0.5 })?.maxRequestsPerSecond).toBe(0.5);
  });
});
