import { describe, expect, it } from "vitest";
import { sourceAlarms } from "../../../infra/monitoring/alarms.ts";
import { SurveyPollerStack } from "../../../infra/stack.ts";
import type { ConfigInput } from "../../../lib/config/index.ts";
import { createApp, synthesize } from "../support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const minimal: ConfigInput = { sources: [{ baseUrl }] };

describe("an alarm's periods", () => {
  const owner = { deployment: "d", sources: [{ name: "main" }], level: "minimal" as const };
  const at = (interval: number) =>
    sourceAlarms(owner, { name: "main", interval }, 30 * MINUTE).map(
      ({ id, window: { period, periods }, breaching }) => ({
        id,
        minutes: period.toMinutes(),
        periods,
        breaching: breaching ?? periods,
      }),
    );
  const of = (interval: number, id: string) => {
    const found = at(interval).find((alarm) => alarm.id === id);
    return found && `${found.breaching} of ${found.periods} × ${found.minutes} min`;
  };

  it.each([
    [5 * MINUTE, "3 of 3 × 5 min", "5 of 6 × 5 min"],
    [20 * MINUTE, "3 of 3 × 20 min", "5 of 6 × 20 min"],
    [6 * 60 * MINUTE, "3 of 3 × 360 min", "5 of 6 × 360 min"],
    [DAY, "3 of 3 × 1440 min", "5 of 6 × 1440 min"],
    [3 * DAY, "4 of 4 × 1440 min", "5 of 6 × 1440 min"],
  ])(
    "at an interval of %i ms hold at least one tick each, as far as there are so long ones",
    (interval, missing, throttled) => {
      expect(of(interval, "NoSuccessfulTick")).toBe(missing);
      expect(of(interval, "Throttled")).toBe(throttled);
    },
  );

  it.each([1, 7, 16, 59, 60, 61, 23 * 60, 24 * 60, 6 * 24 * 60, 30 * 24 * 60])(
    "at an interval of %i minutes are no more than CloudWatch looks back",
    (minutes) => {
      for (const { minutes: period, periods } of at(minutes * MINUTE)) {
        expect(period).toBeLessThanOrEqual(24 * 60);
        expect(period * periods).toBeLessThanOrEqual(period < 60 ? 24 * 60 : 7 * 24 * 60);
        expect(periods).toBeGreaterThan(0);
      }
    },
  );

  it("beyond that cannot tell missing ticks, which synthesis says", () => {
    expect(of(6 * DAY, "NoSuccessfulTick")).toBeDefined();
    expect(of(7 * DAY, "NoSuccessfulTick")).toBeUndefined();
    const stack = new SurveyPollerStack(createApp(), "Test", {
      config: { sources: [{ baseUrl, interval: "7d", timeZone: "UTC" }] },
    });
    const [warning] = stack.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type.endsWith("warning"));
    expect(String(warning?.data)).toContain('source "main": its interval is longer than an alarm looks back');
  });
});

it("nobody is told without alarms", () => {
  const template = synthesize({ ...minimal, monitoring: { alarms: false } });
  template.resourceCountIs("AWS::CloudWatch::Alarm", 0);
  template.resourceCountIs("AWS::SNS::Topic", 0);
});

it("the description of an alarm leads to wherever the runbook is kept", () => {
  const runbook = "https://wiki.example.com/runbooks/survey-poller";
  const alarms = Object.values(
    synthesize({ ...minimal, monitoring: { runbook } }).findResources("AWS::CloudWatch::Alarm"),
  );
  expect(alarms).toHaveLength(7);
  for (const { Properties } of alarms) expect(Properties.AlarmDescription).toContain(` ${runbook}#`);
});
