import { Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../../infra/survey-poller.ts";
import type { ConfigInput } from "../../../lib/config/index.ts";
import { importVpc } from "../support/existing.ts";
import { allowedBy, statementsOf } from "../support/policies.ts";
import { createApp, synthesize } from "../support/synthesize.ts";

const baseUrl = "https://surveys.example.com";
const url = "https://crm.example.com:8443/hook";
const signing = { secret: "crm/signing" };
const config: ConfigInput = {
  sources: [{ baseUrl }],
  webhooks: [
    { name: "crm", url, signing, where: { data: { surveyId: [7] } }, ratePerSecond: 2, retry: { attempts: 9 } },
    { name: "bi-1", url, auth: { type: "bearer", secret: "bi" } },
    { name: "both", url, signing: { secret: "both/signing" }, auth: { type: "basic", secret: "both/auth" } },
    { name: "open", url },
  ],
};
const template = synthesize(config);
const path = "Webhooks";

/** Name of the only resource of a type that begins so. */
function named(type: string, start: string): string {
  const names = Object.keys(template.findResources(type)).filter((name) =>
    new RegExp(`^Poller${path}${start}[0-9A-F]{8}$`).test(name),
  );
  expect(names).toHaveLength(1);
  return names[0] ?? "";
}

const rule = named("AWS::Events::Rule", "crmRule");

describe("a webhook", () => {
  it("takes events into both queues from that rule alone: what lies there is sent as an event of the poller", () => {
    const { Name } = template.findResources("AWS::Events::Rule")[rule]?.Properties ?? {};
    expect(Name).toMatch(/^[\w.-]{1,64}$/);
    for (const name of ["crmQueuePolicy", "crmDeadLettersPolicy"]) {
      const policy = template.findResources("AWS::SQS::QueuePolicy")[named("AWS::SQS::QueuePolicy", name)];
      const statements: { Effect: string; Condition?: unknown }[] = policy?.Properties.PolicyDocument.Statement ?? [];
      const allowed = statements.find(({ Effect }) => Effect === "Allow");
      expect(allowed).toMatchObject({ Action: "sqs:SendMessage", Principal: { Service: "events.amazonaws.com" } });
      expect(JSON.stringify(allowed?.Condition)).toMatch(new RegExp(`"ArnEquals".*:rule/.*PollerBus.*/${Name}"`));
    }
  });

  it("whose function may do exactly this", () => {
    const allowed = allowedBy(template, `Poller${path}crmForwardRole`);
    const { ReadSecrets, ...rest } = allowed;
    expect(rest).toEqual({
      TakeEvents: {
        actions: ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"],
        resources: [`${path}crmQueue`],
      },
      LendLargeAnswers: {
        actions: ["s3:GetObject"],
        resources: ["ClaimCheck/answers/*"],
      },
      ReportFailures: { actions: ["sqs:SendMessage"], resources: [`${path}crmDeadLetters`] },
      WriteLogs: { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [`${path}crmForwardLogs`] },
    });
    expect(ReadSecrets?.actions).toEqual(["secretsmanager:GetSecretValue"]);
  });

  it.each([
    ["crm", ["crm/signing"]],
    ["bi1", ["bi"]],
    ["both", ["both/auth", "both/signing"]],
    ["open", []],
  ])("%s may read just the secrets that it names: %j", (name, secrets) => {
    const { ReadSecrets } = allowedBy(template, `Poller${path}${name}ForwardRole`);
    const read = JSON.stringify(ReadSecrets?.resources ?? []).matchAll(/:secret:([^"]*)-\?{6}"/g);
    expect([...read].map(([, secret]) => secret)).toEqual(secrets);
  });

  it("is found by the command through the outputs of the stack", () => {
    const outputs = Object.keys(template.toJSON().Outputs).filter((name) => name.startsWith("Forward"));
    const wanted = ["DeadLetterQueueArn", "FunctionName", "QueueArn"].flatMap((what) =>
      ["bi1", "both", "crm", "open"].map((name) => `Forward${what}${name}`),
    );
    expect(outputs.sort()).toEqual(wanted);
  });
});

describe("beside each other", () => {
  it("webhooks share one bundle and nothing else", () => {
    const ofForward = (property: (fields: Record<string, { S3Key: string }>) => unknown) =>
      Object.entries(template.findResources("AWS::Lambda::Function"))
        .filter(([name]) => name.includes("Forward"))
        .map(([, { Properties }]) => property(Properties));
    expect(new Set(ofForward(({ Code }) => Code?.S3Key)).size).toBe(1);
    expect(new Set(ofForward(({ Role }) => JSON.stringify(Role))).size).toBe(4);
    template.resourceCountIs("AWS::Lambda::EventSourceMapping", 4);
  });

  it("without any the template has none of it", () => {
    const text = JSON.stringify(synthesize({ sources: [{ baseUrl }] }).toJSON());
    expect(text).not.toMatch(/Forward|EventSourceMapping|DeliveryStalled/);
  });
});

it("with a key and a VPC its function is inside, and may use the key through the services that it asks", () => {
  const stack = new Stack(createApp(), "Own");
  const encryptionKey = new Key(stack, "Key");
  new SurveyPoller(stack, "Poller", { ...config, encryptionKey, vpc: importVpc(stack) });
  const own = Template.fromStack(stack);
  const sids = statementsOf(own, `Poller${path}crmForwardRole`).map(({ Sid }) => Sid);
  for (const sid of ["DecryptSecrets", "DecryptLargeAnswers", "EncryptMessages"]) expect(sids).toContain(sid);
  own.hasResourceProperties("AWS::Lambda::Function", {
    Environment: { Variables: { WEBHOOK: "crm" } },
    VpcConfig: Match.anyValue(),
  });
  own.hasResourceProperties("AWS::EC2::SecurityGroup", {
    SecurityGroupEgress: Match.arrayWith([Match.objectLike({ FromPort: 8443 })]),
  });
});
