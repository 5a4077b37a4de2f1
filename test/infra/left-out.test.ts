import { Topic } from "aws-cdk-lib/aws-sns";
import { expect, it } from "vitest";
import type { SurveyPollerProps } from "../../infra/props.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { synthesizeOwn } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";

function leftOut(props: Omit<SurveyPollerProps, "sources">, source: object = {}, ownTopic = false): readonly string[] {
  let lines: readonly string[] = [];
  synthesizeOwn((stack) => {
    const given = ownTopic ? { alarmTopic: new Topic(stack, "Pager") } : {};
    lines = new SurveyPoller(stack, "Surveys", { ...props, ...given, sources: [{ baseUrl, ...source }] }).leftOut;
  });
  return lines;
}

const alarms = "alarms tell nobody: give monitoring.email, or subscribe to the topic";
const zone = 'source "main" has no timeZone: events carry local times, and no instants';
const ip = 'source "main" has privacy.ip "keep": events, archive and subscribers get whole IP addresses';

it("is said of each default that leaves something out, in a line of its own", () => {
  expect(leftOut({})).toEqual([alarms, zone]);
});

it("is not said of alarms that somebody is told of, or that there are none of", () => {
  expect(leftOut({ monitoring: { email: "ops@example.com" } })).not.toContain(alarms);
  expect(leftOut({ monitoring: { alarms: false } })).not.toContain(alarms);
  expect(leftOut({}, {}, true)).not.toContain(alarms);
});

it("names the choice to keep whole IP addresses", () => {
  const timeZone = "Europe/Warsaw";
  expect(leftOut({}, { timeZone, privacy: { ip: "truncate" } })).toEqual([alarms]);
  expect(leftOut({}, { timeZone, privacy: { ip: "keep" } })).toEqual([alarms, ip]);
});

it("a source that starts from now in a zone that nobody knows is warned of", () => {
  const warnings = (source: object): unknown[] => {
    let found: unknown[] = [];
    synthesizeOwn((stack) => {
      const poller = new SurveyPoller(stack, "Surveys", { sources: [{ baseUrl, ...source }] });
      found = poller.node.metadata.filter(({ data }) => String(data).includes("starts from now"));
    });
    return found;
  };
  expect(warnings({})).toMatchObject([{ type: "aws:cdk:warning" }]);
  expect(warnings({ timeZone: "Europe/Warsaw" })).toEqual([]);
  expect(warnings({ startFrom: "beginning" })).toEqual([]);
});
