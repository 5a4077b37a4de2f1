import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { existing } from "./support/existing.ts";
import type { Statement } from "./support/policies.ts";
import { createApp, synthesizeOwn } from "./support/synthesize.ts";

const sources = [{ baseUrl: "https://surveys.example.com" }];
const ARN = "arn:aws:kms:eu-west-1:111111111111:key/12345678-1234-1234-1234-123456789012";

function serviceStatements(of: Template): Record<string, Statement & { Principal: { Service: unknown } }> {
  const [found] = Object.values(of.findResources("AWS::KMS::Key"));
  const statements: (Statement & { Principal: { Service: unknown } })[] = found?.Properties.KeyPolicy.Statement;
  return Object.fromEntries(
    // The library adds one of its own for an encrypted bus.
    statements.flatMap((one) => (one.Sid?.startsWith("SurveyPoller") ? [[one.Sid, one] as const] : [])),
  );
}

it("without a key nothing names one of KMS", () => {
  const plain = synthesizeOwn((stack) => void new SurveyPoller(stack, "Poller", { sources }));
  expect(JSON.stringify(plain.toJSON())).not.toMatch(/kms/i);
});

describe("the policy of the key", () => {
  it("keeps the archive of a bus that is given, but has nothing to do with its log", () => {
    const given = synthesizeOwn((stack) => {
      const { eventBus, encryptionKey } = existing(stack);
      new SurveyPoller(stack, "Poller", { sources, eventBus, encryptionKey });
    });
    expect(Object.keys(serviceStatements(given)).sort()).toEqual([
      "SurveyPollerDescribeForBus",
      "SurveyPollerKeepEvents",
      "SurveyPollerKeepLogs",
      "SurveyPollerSendToDeadLetters",
      "SurveyPollerTellAlarms",
    ]);
  });

  it("gets its statements also where the key lives in another stack of the app", () => {
    const app = createApp();
    const keys = new Stack(app, "Keys");
    const encryptionKey = new Key(keys, "Key");
    new SurveyPoller(new Stack(app, "Own"), "Poller", { sources, encryptionKey });
    expect(Object.keys(serviceStatements(Template.fromStack(keys)))).toHaveLength(7);
  });

  it("of an imported key is left as it is", () => {
    const imported = synthesizeOwn((stack) => {
      const encryptionKey = Key.fromKeyArn(stack, "Imported", ARN);
      new SurveyPoller(stack, "Poller", { sources, encryptionKey });
    });
    imported.resourceCountIs("AWS::KMS::Key", 0);
    imported.allResourcesProperties("AWS::SQS::Queue", { KmsMasterKeyId: ARN });
  });
});
