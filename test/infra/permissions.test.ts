import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { importVpc } from "./support/existing.ts";
import { allowedBy, readable, statementsOf } from "./support/policies.ts";
import { createApp, synthesize } from "./support/synthesize.ts";

const config = {
  sources: [{ baseUrl: "https://surveys.example.com" }, { name: "b", baseUrl: "https://b.example.com" }],
};

const template = synthesize(config);
const policies = Object.entries(template.findResources("AWS::IAM::Policy"));
const allowed = (role: string) => allowedBy(template, `Poller${role}`);

describe("the function", () => {
  it("may do exactly this", () => {
    expect(allowed("PollRole")).toEqual({
      KeepBooks: {
        actions: [
          "dynamodb:BatchGetItem",
          "dynamodb:BatchWriteItem",
          "dynamodb:GetItem",
          "dynamodb:PutItem",
          "dynamodb:Query",
          "dynamodb:UpdateItem",
        ],
        resources: ["Table"],
      },
      Publish: { actions: ["events:PutEvents"], resources: ["Bus"] },
      KeepLargeAnswers: { actions: ["s3:PutObject"], resources: ["ClaimCheck/*"] },
      ReadSecrets: {
        actions: ["secretsmanager:GetSecretValue"],
        resources: ["Credentialsb", "Credentialsmain", "Tokenb", "Tokenmain"],
      },
      KeepToken: { actions: ["secretsmanager:PutSecretValue"], resources: ["Tokenb", "Tokenmain"] },
      WriteLogs: { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: ["PollLogs"] },
      FindDue: { actions: ["dynamodb:Query"], resources: ["Table/index/due"] },
      TakeUpWhatWasKept: { actions: ["s3:DeleteObject", "s3:GetObject"], resources: ["ClaimCheck/*"] },
      TellMissing: { actions: ["s3:ListBucket"], resources: ["ClaimCheck"] },
      ReportFailures: { actions: ["sqs:SendMessage"], resources: ["DeadLetters"] },
    });
  });
});

describe("the schedules", () => {
  it("may start the function and report what could not be started, for this account only", () => {
    expect(allowed("ScheduleRole")).toEqual({
      StartTick: { actions: ["lambda:InvokeFunction"], resources: ["Poll"] },
      ReportFailures: { actions: ["sqs:SendMessage"], resources: ["DeadLetters"] },
    });
    template.hasResourceProperties("AWS::IAM::Role", {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Principal: { Service: "scheduler.amazonaws.com" },
            Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
          },
        ],
      },
    });
  });
});

/** With a key of one's own, in a VPC, and with credentials that are there already. */
const guarded = Template.fromStack(guardedStack());

function guardedStack(app = createApp()): Stack {
  const stack = new Stack(app, "Own");
  const encryptionKey = new Key(stack, "Key", { enableKeyRotation: true });
  const ownKey = Key.fromKeyArn(
    stack,
    "OwnKey",
    "arn:aws:kms:eu-west-1:111111111111:key/12345678-1234-1234-1234-123456789012",
  );
  new SurveyPoller(stack, "Poller", {
    sources: [
      { baseUrl: "https://surveys.example.com", credentialsSecret: "team/surveys" },
      { name: "b", baseUrl: "https://b.example.com" },
      { name: "c", baseUrl: "https://c.example.com" },
    ],
    encryptionKey,
    vpc: importVpc(stack),
    secrets: {
      b: Secret.fromSecretAttributes(stack, "B", {
        secretCompleteArn: "arn:aws:secretsmanager:eu-west-1:111111111111:secret:b-AbCdEf",
        encryptionKey: ownKey,
      }),
    },
  });
  return stack;
}

describe("with a key, a VPC and secrets that are there already", () => {
  const ownKey = "arn:aws:kms:eu-west-1:111111111111:key/12345678-1234-1234-1234-123456789012";

  it("the function reads these secrets, each with its own key, and writes none but those of tokens", () => {
    expect(allowedBy(guarded, "PollerPollRole")).toMatchObject({
      ReadSecrets: {
        actions: ["secretsmanager:GetSecretValue"],
        resources: [
          "arn:aws:secretsmanager:eu-west-1:111111111111:secret:b-AbCdEf",
          "arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:team/surveys-??????",
          "Credentialsc",
          "Tokenb",
          "Tokenc",
          "Tokenmain",
        ],
      },
      KeepToken: { actions: ["secretsmanager:PutSecretValue"], resources: ["Tokenb", "Tokenc", "Tokenmain"] },
      DecryptCredentials: { actions: ["kms:Decrypt"], resources: [ownKey] },
      DecryptCredentials2: { actions: ["kms:Decrypt"], resources: ["Key"] },
      DecryptToken: { actions: ["kms:Decrypt", "kms:GenerateDataKey"], resources: ["Key"] },
    });
  });

  it("a role uses the key through one service at a time, and never by itself", () => {
    const services = ["PollRole", "ScheduleRole"].flatMap((role) =>
      statementsOf(guarded, `Poller${role}`)
        .filter(({ Action }) => [Action].flat().some((action) => action.startsWith("kms:")))
        .map(({ Sid, Condition }) => {
          const via = (Condition as { StringLike: Record<string, unknown> }).StringLike["kms:ViaService"];
          return [Sid, readable(via)];
        }),
    );
    expect(Object.fromEntries(services)).toEqual({
      DecryptBooks: "dynamodb.AWS::Region.*",
      DecryptLargeAnswers: "s3.AWS::Region.*",
      DecryptCredentials: "secretsmanager.AWS::Region.*",
      DecryptCredentials2: "secretsmanager.AWS::Region.*",
      DecryptToken: "secretsmanager.AWS::Region.*",
      EncryptMessages: "sqs.AWS::Region.*",
      DecryptEnvironment: "lambda.AWS::Region.*",
      EncryptFailures: "sqs.AWS::Region.*",
    });
  });

  it("a function waits for its policy, without which it could not join the network", () => {
    const [lambda] = Object.values(guarded.findResources("AWS::Lambda::Function"));
    expect(lambda?.DependsOn).toContainEqual(expect.stringMatching(/^PollerPollRoleDefaultPolicy[0-9A-F]{8}$/));
  });

  it("the network is Lambda's to join: the function's own code is denied it", () => {
    const denied = statementsOf(guarded, "PollerPollRole").filter(({ Effect }) => Effect === "Deny");
    expect(denied).toEqual([
      {
        Sid: "LeaveNetworkToLambda",
        Effect: "Deny",
        Action: expect.arrayContaining(["ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface"]),
        Resource: "*",
        Condition: { Null: { "lambda:SourceFunctionArn": "false" } },
      },
    ]);
  });
});

it("nobody else may do anything: there are two policies, and no managed ones", () => {
  expect(policies).toHaveLength(2);
  const roles = [template, guarded].flatMap((one) => Object.values(one.findResources("AWS::IAM::Role")));
  expect(roles).toHaveLength(4);
  for (const role of roles) expect(role.Properties.ManagedPolicyArns ?? []).toEqual([]);
});
