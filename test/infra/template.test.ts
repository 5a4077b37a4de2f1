import { Stack, type StackProps } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Key } from "aws-cdk-lib/aws-kms";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { existing, importVpc } from "./support/existing.ts";
import { renderTemplates } from "./support/render-templates.ts";
import { createApp, synthesizeOwn } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const sources = [{ baseUrl }];
const config = { sources: [{ baseUrl, credentialsSecret: "team/surveys" }] };

/**
 * A poller of two sources, of which one is not enabled, with all that there is: key, VPC, proxy, traces, full monitoring, ticks within a minute, a bus
 * of facts, accounts that subscribe, a webhook with all that one may have and one with nothing, and a subscription.
 */
function withEverything(props: StackProps = {}): Template {
  const stack = new Stack(createApp(), "Own", props);
  const given = { encryptionKey: new Key(stack, "Key"), vpc: importVpc(stack), proxy: "http://proxy.example.com" };
  const retention = { logs: "90d", claimCheck: "100d", archive: "45d", quarantine: "70d" };
  const url = "https://crm.example.com:8443/hook?key=hidden";
  const secrets = { signing: { secret: "crm/signing" }, auth: { type: "basic", secret: "crm/auth" } } as const;
  const poller = new SurveyPoller(stack, "Poller", {
    sources: [
      { baseUrl, interval: "10s" },
      { baseUrl, name: "eu-2", eventSource: "team/b", interval: "5m", enabled: false, retention },
    ],
    bus: { facts: { name: "figures", accounts: ["333333333333"] }, arnParameter: "/team/bus" },
    monitoring: { level: "full", email: "ops@example.com", lagThreshold: "2h" },
    subscribers: { accounts: ["222222222222"], organizationId: "o-a1b2c3d4e5" },
    webhooks: [
      { name: "crm", url, ...secrets, where: { data: { surveyId: [7] } }, ratePerSecond: 2, retry: { attempts: 9 } },
      { name: "open-1", url },
    ],
    ...given,
    tracing: true,
    memory: 1024,
  });
  const where = { data: { summary: { nps: { class: ["detractor"] } } } } as const;
  poller.onResponseCompleted("Detractors", { where, target: new SqsQueue(new Queue(stack, "Mine")) });
  return Template.fromStack(stack);
}

/** A poller that is given a bus, a table, a topic, a key, a network, and credentials in each way. */
function withExisting(): Template {
  return synthesizeOwn((stack) => {
    const b = Secret.fromSecretAttributes(stack, "B", {
      secretCompleteArn: "arn:aws:secretsmanager:eu-west-1:111111111111:secret:b-AbCdEf",
      encryptionKey: Key.fromKeyArn(stack, "OwnKey", "arn:aws:kms:eu-west-1:111111111111:key/12345678"),
    });
    const { vpc, ...given } = existing(stack);
    new SurveyPoller(stack, "Poller", {
      ...given,
      vpc,
      vpcSubnets: { subnets: vpc.isolatedSubnets },
      sources: [{ baseUrl }, { baseUrl, name: "b" }, { baseUrl, name: "c", credentialsSecret: "team/c" }],
      secrets: { main: "team/surveys", b },
      proxy: "http://10.0.0.1:3128",
    });
  });
}

// It loads the CDK, and works the schemas of all events out.
it("templates change on purpose only (npx vitest run test/infra/template.test.ts -u)", {
  timeout: 120_000,
}, async () => {
  const templates = {
    "A stack as it is by default": Template.fromStack(
      new SurveyPollerStack(createApp(), "Own", { config: { sources } }),
    ).toJSON(),
    "With everything that can be asked for": withEverything().toJSON(),
    "With what is there already": withExisting().toJSON(),
  };
  await expect(renderTemplates(templates)).toMatchFileSnapshot("templates.txt");
});

/** Services whose principal has the same name in every partition. */
const UNIVERSAL = /"(lambda|events|scheduler|cloudwatch|sqs|sns|delivery\.logs)\.amazonaws\.com"/g;

const account = "111111111111";

describe.each<[region: string | undefined, partitions: string[]]>([
  [undefined, []],
  ["us-gov-west-1", ["aws-us-gov"]],
  ["cn-north-1", ["aws-cn"]],
  ["eu-west-1", ["aws"]],
])("for the region %s", (region, partitions) => {
  const props = region === undefined ? {} : { env: { region, account } };
  it.each([
    ["the stack", () => Template.fromStack(new SurveyPollerStack(createApp(), "Test", { config, ...props }))],
    ["a poller with everything", () => withEverything(props)],
  ])("%s names no other partition, and no host of another one", (_, make) => {
    const text = JSON.stringify(make().toJSON());
    const named = new Set([...text.matchAll(/arn:(aws[a-z-]*):/g)].map(([, name]) => name));
    expect([...named]).toEqual(partitions);
    if (region === undefined || region.startsWith("cn-"))
      expect(text.replaceAll(UNIVERSAL, "")).not.toContain("amazonaws.com");
  });
});
