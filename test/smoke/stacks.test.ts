import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, type Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { afterAll, expect, it } from "vitest";
import { NAMES, OUTPUTS } from "../../smoke/names.ts";
import { ForeignStack } from "../../smoke/stacks/foreign-stack.ts";
import { OtherAccountStack } from "../../smoke/stacks/other-account-stack.ts";
import { PollerStack } from "../../smoke/stacks/poller-stack.ts";
import { ServiceStack } from "../../smoke/stacks/service-stack.ts";

interface Reference {
  "Fn::GetAtt": [string, string];
}
interface Target {
  Arn: Reference;
  DeadLetterConfig: { Arn: Reference };
}

// As in a real account: with function URLs, and a second account.
const outdir = mkdtempSync(join(tmpdir(), "smoke-stacks-"));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));
const app = new App({ outdir });
const plan = { origin: 0, every: 10_000, lateEvery: 240_000, lateBy: 150_000 };
const deployed = {
  serviceUrl: "https://service.example.com",
  recorderUrl: "https://endpoint.example.com/",
  recordedTable: "recorded",
  otherAccount: "210987654321",
};
const [service, poller, foreign, other] = templatesOf(
  new ServiceStack(app, { plan, clientId: "smoke", clientSecret: "made up" }),
  new PollerStack(app, deployed),
  new ForeignStack(app),
  new OtherAccountStack(app, "arn:aws:events:eu-west-1:111122223333:event-bus/survey-poller-smoke"),
);

function templatesOf(...stacks: [Stack, Stack, Stack, Stack]): [Template, Template, Template, Template] {
  const [first, second, third, fourth] = stacks;
  return [Template.fromStack(first), Template.fromStack(second), Template.fromStack(third), Template.fromStack(fourth)];
}

it("opens the service and the endpoint by a URL, and nothing else", () => {
  service.resourceCountIs("AWS::Lambda::Url", 2);
  poller.resourceCountIs("AWS::Lambda::Url", 0);
});

it("has what the checks read as outputs", () => {
  const found = [service, poller, foreign, other].flatMap((template) => Object.keys(template.findOutputs("*")));
  expect(Object.values(OUTPUTS).filter((name) => !found.includes(name))).toEqual([]);
});

it("keeps nothing but what the poller itself keeps", () => {
  for (const template of [service, foreign, other]) {
    const kept = Object.values(template.toJSON().Resources as Record<string, { DeletionPolicy?: string }>);
    expect(kept.filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith("Retain"))).toEqual([]);
  }
});

it("subscribes a queue, a function, a webhook with a secret, and lets the other account make rules", () => {
  poller.hasResourceProperties("AWS::Events::Connection", {
    AuthParameters: Match.objectLike({
      ApiKeyAuthParameters: {
        ApiKeyName: "Authorization",
        ApiKeyValue: `Bearer {{resolve:secretsmanager:${NAMES.webhookSecret}:SecretString:token::}}`,
      },
    }),
  });
  poller.hasResourceProperties("AWS::Events::ApiDestination", { InvocationEndpoint: deployed.recorderUrl });
  poller.resourceCountIs("AWS::Events::EventBusPolicy", 1);
  // Queue, function and webhook, and the one that fails.
  poller.resourceCountIs("AWS::Events::Rule", 4);
});

it("has a rule that cannot deliver: its queue has no policy, its dead-letter queue has one", () => {
  const rules = Object.values(poller.findResources("AWS::Events::Rule"));
  const failing = rules.filter(({ Properties }) => JSON.stringify(Properties).includes("closed"));
  expect(failing).toHaveLength(1);
  const [target] = failing.flatMap(({ Properties }) => Properties.Targets as Target[]);
  const withPolicy = JSON.stringify(poller.findResources("AWS::SQS::QueuePolicy"));
  const idOf = (arn: Reference | undefined): string => String(arn?.["Fn::GetAtt"][0]);
  expect(withPolicy).not.toContain(idOf(target?.Arn));
  expect(withPolicy).toContain(idOf(target?.DeadLetterConfig.Arn));
});

it("makes its foreign rule on the bus by name alone", () => {
  foreign.hasResourceProperties("AWS::Events::Rule", { EventBusName: NAMES.bus });
  expect(JSON.stringify(foreign.toJSON())).not.toContain("ImportValue");
});
