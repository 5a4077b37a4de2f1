import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import type { Statement } from "./support/policies.ts";
import { createApp, synthesizeOwn } from "./support/synthesize.ts";

const sources = [{ baseUrl: "https://surveys.example.com" }];
const ARN = "arn:aws:kms:eu-west-1:111111111111:key/12345678-1234-1234-1234-123456789012";

describe("the policy of the key", () => {
  it("gets its statements also where the key lives in another stack of the app", () => {
    const app = createApp();
    const keys = new Stack(app, "Keys");
    const encryptionKey = new Key(keys, "Key");
    new SurveyPoller(new Stack(app, "Own"), "Poller", { sources, encryptionKey });
    const [key] = Object.values(Template.fromStack(keys).findResources("AWS::KMS::Key"));
    const statements: Statement[] = key?.Properties.KeyPolicy.Statement;
    expect(statements.filter(({ Sid }) => Sid?.startsWith("SurveyPoller"))).toHaveLength(7);
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
