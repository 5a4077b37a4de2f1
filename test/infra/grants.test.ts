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
  const readBooks = [
    "Allow dynamodb:BatchGetItem dynamodb:GetItem dynamodb:Query on Table",
    "Allow dynamodb:Query on Table/index/due",
  ];
  const fill = "Allow secretsmanager:DescribeSecret secretsmanager:PutSecretValue on";
  const key = (actions: string, service: string) => `Allow ${actions} on Key via ${service}.AWS::Region.*`;
  const readItems = key("kms:Decrypt kms:DescribeKey", "dynamodb");
  const writeSecrets = key("kms:Decrypt kms:GenerateDataKey", "secretsmanager");
  type Grants = (poller: SurveyPoller, role: Role) => Grant;
  it.each<[what: string, grant: Grants, allowed: string[], ...byKey: string[]]>([
    ["its invocation", (one, role) => one.grantInvoke(role), ["Allow lambda:InvokeFunction on Poll"]],
    ["sending again, by its alias", (one, role) => one.grantResend(role), ["Allow lambda:InvokeFunction on Resend"]],
    [
      "reading of large answers, but of nothing else in their bucket",
      (one, role) => one.grantReadAnswers(role),
      ["Allow s3:GetObject on ClaimCheck/answers/*"],
      key("kms:Decrypt", "s3"),
    ],
    ["reading of the books", (one, role) => one.grantReadState(role), readBooks, readItems],
    [
      "redrives: to find what is quarantined, and to put it back",
      (one, role) => one.grantRedrive(role),
      ["Allow lambda:InvokeFunction on Poll", ...readBooks],
      readItems,
    ],
    [
      "filling of the credentials of all sources, but no reading",
      (one, role) => one.grantFillCredentials(role),
      [`${fill} Credentialsb Credentialsmain`],
      writeSecrets,
    ],
    [
      "filling of the credentials of one source",
      (one, role) => one.grantFillCredentials(role, "b"),
      [`${fill} Credentialsb`],
      writeSecrets,
    ],
  ])("%s, and with a key of yours its use", (_what, grant, allowed, ...byKey) => {
    expect(granted(grant)).toEqual(allowed);
    expect(granted(grant, true)).toEqual([...allowed, ...byKey]);
  });

  it("an organization nothing by itself", () => {
    const subscribers = { organizationId: "o-a1b2c3d4e5" };
    const template = synthesizeOwn((stack) => new SurveyPoller(stack, "Poller", { sources, subscribers }));
    for (const { Properties } of Object.values(template.findResources("AWS::S3::BucketPolicy")))
      expect(Properties.PolicyDocument.Statement.map(({ Effect }: Statement) => Effect)).toEqual(["Deny"]);
  });

  it("nothing for a source that it does not have", () => {
    expect(() => granted((poller, role) => poller.grantFillCredentials(role, "c"))).toThrow(ConfigError);
    expect(() => granted((poller, role) => poller.grantFillCredentials(role, "c"))).toThrow(
      'source: must be one of "main", "b"',
    );
  });
});
