import { Validations } from "aws-cdk-lib";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it, vi } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { createApp, synthesize } from "./support/synthesize.ts";

vi.mock("../../infra/bundle.ts", () => import("./support/stub-bundle.ts"));

const config = {
  sources: [{ baseUrl: "https://surveys.example.com" }, { name: "b", baseUrl: "https://b.example.com" }],
};

interface Statement {
  Sid: string;
  Action: string | string[];
  Resource: unknown;
  Effect: string;
}

const template = synthesize(config);
const policies = Object.entries(template.findResources("AWS::IAM::Policy"));

/** What a role may do: each statement's actions and the resources they are for, by the start of their logical names. */
function allowed(role: string): Record<string, { actions: string[]; resources: string[] }> {
  const [, policy] = policies.find(([name]) => name.includes(role)) ?? [];
  const statements: Statement[] = policy?.Properties.PolicyDocument.Statement ?? [];
  return Object.fromEntries(
    statements.map(({ Sid, Action, Resource, Effect }) => {
      expect(Effect).toBe("Allow");
      return [Sid, { actions: [Action].flat(), resources: [Resource].flat().map(readable) }];
    }),
  );
}

/** `{"Fn::GetAtt": ["PollerTable1168CB8E", "Arn"]}` as `Table`, joined ones with what follows. */
function readable(resource: unknown): string {
  const joined = (resource as { "Fn::Join"?: [string, unknown[]] })["Fn::Join"];
  if (joined !== undefined) return joined[1].map((part) => (typeof part === "string" ? part : readable(part))).join("");
  const { Ref, "Fn::GetAtt": attribute } = resource as { Ref?: string; "Fn::GetAtt"?: [string, string] };
  return (Ref ?? attribute?.[0] ?? JSON.stringify(resource)).replace(/^Poller(.*?)[0-9A-F]{8}$/, "$1");
}

describe("the scheduled function", () => {
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
      FindDue: { actions: ["dynamodb:Query"], resources: ["Table/index/due"] },
      Publish: { actions: ["events:PutEvents"], resources: ["Bus"] },
      KeepLargeAnswers: { actions: ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"], resources: ["ClaimCheck/*"] },
      ReadSecrets: {
        actions: ["secretsmanager:GetSecretValue"],
        resources: ["Credentialsb", "Credentialsmain", "Tokenb", "Tokenmain"],
      },
      KeepToken: { actions: ["secretsmanager:PutSecretValue"], resources: ["Tokenb", "Tokenmain"] },
      WriteLogs: { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: ["PollLogs"] },
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

it("nobody else may do anything: there are two policies, and no managed ones", () => {
  expect(policies).toHaveLength(2);
  for (const role of Object.values(template.findResources("AWS::IAM::Role"))) {
    expect(role.Properties.ManagedPolicyArns ?? []).toEqual([]);
  }
});

describe("cdk-nag's AwsSolutions rules", () => {
  it("find nothing that is not acknowledged one by one", () => {
    const app = createApp();
    new SurveyPollerStack(app, "Test", { config });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).not.toThrow();
  });

  it("do find something where there is something, so the test above holds", () => {
    const app = createApp();
    new Bucket(new SurveyPollerStack(app, "Test", { config }), "Open");
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).toThrow(/AwsSolutions-S1\b/);
  });
});
