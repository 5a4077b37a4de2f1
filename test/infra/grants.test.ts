import type { Grant } from "aws-cdk-lib/aws-iam";
import { AccountPrincipal, Role } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, it } from "vitest";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { ConfigError } from "../../lib/config/index.ts";
import { readable, type Statement, statementsOf } from "./support/policies.ts";
import { synthesizeOwn } from "./support/synthesize.ts";

const sources = [{ baseUrl: "https://surveys.example.com" }, { name: "b", baseUrl: "https://b.example.com" }];

/** What a role may do after it was granted something: one line for each statement. */
function granted(grant: (poller: SurveyPoller, role: Role) => Grant, withKey = false): string[] {
  const template = synthesizeOwn((stack) => {
    const encryptionKey = withKey ? { encryptionKey: new Key(stack, "Key") } : {};
    const poller = new SurveyPoller(stack, "Poller", { sources, ...encryptionKey });
    grant(poller, new Role(stack, "Somebody", { assumedBy: new AccountPrincipal("111111111111") })).assertSuccess();
  });
  return statementsOf(template, "Somebody").map(({ Effect, Action, Resource, Condition }) => {
    const via = (Condition as { StringLike?: Record<string, unknown> } | undefined)?.StringLike?.["kms:ViaService"];
    const how = via === undefined ? "" : ` via ${readable(via)}`;
    return `${Effect} ${[Action].flat().join(" ")} on ${[Resource].flat().map(readable).join(" ")}${how}`;
  });
}

describe("a poller grants", () => {
  it("its invocation", () => {
    expect(granted((poller, role) => poller.grantInvoke(role))).toEqual(["Allow lambda:InvokeFunction on Poll"]);
  });

  it("sending again, by the alias that takes nothing else", () => {
    expect(granted((poller, role) => poller.grantResend(role))).toEqual(["Allow lambda:InvokeFunction on Resend"]);
  });

  it("accounts that may subscribe reading of large answers, by the bucket and by its key", () => {
    const subscribers = { accounts: ["210987654321", "210987654321"] };
    const template = synthesizeOwn((stack) => {
      new SurveyPoller(stack, "Poller", { sources, subscribers, encryptionKey: new Key(stack, "Key") });
    });
    const found = (type: string, property: string, sid: string): Statement & { Principal: { AWS: unknown } } => {
      const [resource] = Object.values(template.findResources(type));
      return resource?.Properties[property].Statement.find(({ Sid }: Statement) => Sid === sid);
    };
    const bucket = found("AWS::S3::BucketPolicy", "PolicyDocument", "ShareAnswers");
    expect([bucket.Effect, bucket.Action, readable(bucket.Resource)]).toEqual([
      "Allow",
      "s3:GetObject",
      "ClaimCheck/answers/*",
    ]);
    expect(readable(bucket.Principal.AWS)).toBe("arn:AWS::Partition:iam::210987654321:root");
    const key = found("AWS::KMS::Key", "KeyPolicy", "SurveyPollerShareAnswers");
    expect([key.Action, readable(key.Principal.AWS)]).toEqual([
      "kms:Decrypt",
      "arn:AWS::Partition:iam::210987654321:root",
    ]);
  });

  it("nobody else by itself", () => {
    const subscribers = { organizationId: "o-a1b2c3d4e5" };
    const template = synthesizeOwn((stack) => void new SurveyPoller(stack, "Poller", { sources, subscribers }));
    for (const { Properties } of Object.values(template.findResources("AWS::S3::BucketPolicy")))
      expect(Properties.PolicyDocument.Statement.map(({ Effect }: Statement) => Effect)).toEqual(["Deny"]);
  });

  it("reading of large answers, but of nothing else in their bucket", () => {
    const keys = "answers/*";
    expect(granted((poller, role) => poller.grantReadAnswers(role))).toEqual([
      `Allow s3:GetObject on ClaimCheck/${keys}`,
    ]);
    expect(granted((poller, role) => poller.grantReadAnswers(role), true)).toEqual([
      `Allow s3:GetObject on ClaimCheck/${keys}`,
      "Allow kms:Decrypt on Key via s3.AWS::Region.*",
    ]);
  });

  it("reading of the books", () => {
    expect(granted((poller, role) => poller.grantReadState(role), true)).toEqual([
      "Allow dynamodb:BatchGetItem dynamodb:GetItem dynamodb:Query on Table",
      "Allow dynamodb:Query on Table/index/due",
      "Allow kms:Decrypt kms:DescribeKey on Key via dynamodb.AWS::Region.*",
    ]);
  });

  it("redrives: to find what is quarantined, and to put it back", () => {
    expect(granted((poller, role) => poller.grantRedrive(role))).toEqual([
      "Allow lambda:InvokeFunction on Poll",
      "Allow dynamodb:BatchGetItem dynamodb:GetItem dynamodb:Query on Table",
      "Allow dynamodb:Query on Table/index/due",
    ]);
  });

  it("filling of credentials, of all sources or of one, but no reading", () => {
    const actions = "secretsmanager:DescribeSecret secretsmanager:PutSecretValue";
    expect(granted((poller, role) => poller.grantFillCredentials(role))).toEqual([
      `Allow ${actions} on Credentialsb Credentialsmain`,
    ]);
    expect(granted((poller, role) => poller.grantFillCredentials(role, "b"), true)).toEqual([
      `Allow ${actions} on Credentialsb`,
      "Allow kms:Decrypt kms:GenerateDataKey on Key via secretsmanager.AWS::Region.*",
    ]);
  });

  it("nothing for a source that it does not have", () => {
    expect(() => granted((poller, role) => poller.grantFillCredentials(role, "c"))).toThrow(ConfigError);
    expect(() => granted((poller, role) => poller.grantFillCredentials(role, "c"))).toThrow(
      'source: must be one of "main", "b"',
    );
  });
});
