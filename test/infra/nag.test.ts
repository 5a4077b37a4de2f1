import { type App, Stack, Validations } from "aws-cdk-lib";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Key } from "aws-cdk-lib/aws-kms";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import type { ConfigInput } from "../../lib/config/index.ts";
import { importVpc } from "./support/existing.ts";
import { createApp } from "./support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const url = "https://crm.example.com/hook";
const everything: ConfigInput = {
  sources: [{ baseUrl }, { baseUrl, name: "b", eventSource: "team/b", interval: "10s" }],
  subscribers: { accounts: ["123456789012"], organizationId: "o-a1b2c3d4e5" },
  monitoring: "full",
  webhooks: [
    { name: "bearer", url, auth: { type: "bearer", secret: "crm" } },
    { name: "open", url },
    { name: "signed", url, signing: { secret: "crm/signing" } },
  ],
};

function usualStack(app: App): SurveyPollerStack {
  return new SurveyPollerStack(app, "Test", { config: { sources: [{ baseUrl }] } });
}

/** Stacks of all that can be had, by what they are. */
const stacks: Record<string, (app: App) => Stack> = {
  "a stack by default": usualStack,
  "a stack with everything that a configuration may ask for": (app) => {
    const stack = new SurveyPollerStack(app, "Test", { config: everything, tracing: true });
    const queue = new Queue(stack, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      deadLetterQueue: { queue: stack.poller.deadLetters, maxReceiveCount: 3 },
    });
    stack.poller.onResponseCompleted("All", { target: new SqsQueue(queue) });
    return stack;
  },
  "a stack that is destroyed with all it holds": (app) =>
    new SurveyPollerStack(app, "Test", { config: { sources: [{ baseUrl }] }, onRemoval: "destroy" }),
  "a poller with a key and a VPC": (app) => {
    const stack = new Stack(app, "Own");
    const encryptionKey = new Key(stack, "Key", { enableKeyRotation: true });
    new SurveyPoller(stack, "Poller", { ...everything, encryptionKey, vpc: importVpc(stack), tracing: true });
    return stack;
  },
};

describe.each([
  ["AwsSolutions", AwsSolutionsChecks],
  ["Serverless", ServerlessChecks],
])("cdk-nag's pack %s", (_name, Pack) => {
  it.each(Object.entries(stacks))("finds nothing in %s that is not acknowledged with a reason", (_what, make) => {
    const app = createApp();
    make(app);
    Validations.of(app).addPlugins(new Pack(app));
    expect(() => app.synth()).not.toThrow();
  });
});

describe("what is acknowledged", () => {
  it("is so for what is ours alone: a bucket beside it is found", () => {
    const app = createApp();
    new Bucket(usualStack(app), "Open");
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).toThrow("AwsSolutions-S1");
  });

  it("with traces is not that there are none", () => {
    const acknowledged = (name: string) => {
      const found = stacks[name]?.(createApp()).node.findAll() ?? [];
      return found
        .flatMap(({ node }) => node.metadata)
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .map(({ data }) => data);
    };
    const ofNone = /LambdaTracing/;
    expect(JSON.stringify(acknowledged("a stack by default"))).toMatch(ofNone);
    expect(JSON.stringify(acknowledged("a poller with a key and a VPC"))).not.toMatch(ofNone);
  });
});
