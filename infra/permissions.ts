import { Aws, type CfnElement, Stack } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IEventBus } from "aws-cdk-lib/aws-events";
import { AccountPrincipal, Grant, type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket, IBucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { CLAIM_CHECKS } from "../lib/publisher/claim-check.ts";
import { tableDefinition } from "../lib/state/table.ts";
import { type KeyUse, may, useKey } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";
import { areMany } from "./source-scopes.ts";
import type { SecretReference, SourceSecrets } from "./source-secrets.ts";

interface Resources {
  table: ITable;
  bus: IEventBus;
  factsBus: IEventBus | undefined;
  claimCheckBucket: Bucket;
  secrets: readonly SourceSecrets[];
}

/** A policy takes 6,144 characters, and a statement cannot be divided between two policies. */
const MOST_IN_A_STATEMENT = 30;

export function pollStatements({ table, bus, factsBus, claimCheckBucket, secrets }: Resources): PolicyStatement[] {
  const credentials = secrets.map((source) => source.credentials);
  const tokens = secrets.map((source) => source.token);
  const read = [...arnsOf(credentials), ...arnsOf(tokens)];
  return [
    may(
      "KeepBooks",
      ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "BatchWriteItem"].map((one) => `dynamodb:${one}`),
      table.tableArn,
    ),
    may("Publish", ["events:PutEvents"], bus.eventBusArn, ...(factsBus === undefined ? [] : [factsBus.eventBusArn])),
    may("KeepLargeAnswers", ["s3:PutObject"], claimCheckBucket.arnForObjects("*")),
    may("FindDue", ["dynamodb:Query"], ...indexArns(table)),
    may("TakeUpWhatWasKept", ["s3:GetObject", "s3:DeleteObject"], claimCheckBucket.arnForObjects("*")),
    // Without it S3 answers for a missing key that access is denied: what was kept would seem gone wherever a right is missing.
    may("TellMissing", ["s3:ListBucket"], claimCheckBucket.bucketArn),
    ...Array.from({ length: Math.ceil(read.length / MOST_IN_A_STATEMENT) }, (_, i) => {
      const part = read.slice(i * MOST_IN_A_STATEMENT, (i + 1) * MOST_IN_A_STATEMENT);
      return may(numbered("ReadSecrets", i), ["secretsmanager:GetSecretValue"], ...part);
    }),
    may("KeepToken", ["secretsmanager:PutSecretValue"], ...arnsOf(tokens)),
    ...useKey("DecryptBooks", table.encryptionKey, "use-table"),
    ...useKey("DecryptLargeAnswers", claimCheckBucket.encryptionKey, "write-objects"),
    ...useKeys("DecryptCredentials", credentials, "read-secret"),
    ...useKeys("DecryptToken", tokens, "write-secret"),
  ];
}

/** Each secret by itself; of many, those that the poller has made by one pattern: a role takes no more than ten policies. */
function arnsOf(secrets: readonly SecretReference[]): string[] {
  const isByFamily = areMany(secrets);
  return [...new Set(secrets.map(({ arn, family }) => (isByFamily ? (family ?? arn) : arn)))];
}

/** One statement for each key that some secrets are encrypted with. */
function useKeys(sid: string, secrets: readonly SecretReference[], use: KeyUse): PolicyStatement[] {
  const keys = [...new Set(secrets.flatMap(({ encryptionKey }) => encryptionKey ?? []))];
  return keys.flatMap((key, index) => useKey(numbered(sid, index), key, use));
}

function numbered(sid: string, index: number): string {
  return index === 0 ? sid : `${sid}${index + 1}`;
}

function indexArns(table: ITable): string[] {
  return tableDefinition.indexes.map(({ name }) => `${table.tableArn}/index/${name}`);
}

/** Leave to use objects of one bucket whose keys are of this pattern: any other wildcard is still a finding. */
export function acknowledgeAnyKey(scope: Construct, bucket: Bucket, pattern: string): void {
  const logicalId: string = Stack.of(bucket).resolve((bucket.node.defaultChild as CfnElement).logicalId);
  acknowledgeFinding(scope, {
    id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/${pattern}]`,
    reason:
      "The keys are made of event and response ids, which are not known before; all of the bucket is the poller's.",
  });
}

/** Leave to use the secrets of all sources, where they are too many to be named. */
export function acknowledgeFamilies(scope: Construct, secrets: readonly SourceSecrets[]): void {
  if (!areMany(secrets)) return;
  for (const { family } of secrets.flatMap(({ credentials, token }) => [credentials, token])) {
    if (family === undefined) continue;
    const joined: { "Fn::Join": [string, (string | { Ref: string })[]] } = Stack.of(scope).resolve(family);
    const arn = joined["Fn::Join"][1].map((part) => (typeof part === "string" ? part : `<${part.Ref}>`)).join("");
    acknowledgeFinding(scope, {
      id: `AwsSolutions-IAM5[Resource::${arn}]`,
      reason: "A role takes ten policies, which cannot name so many secrets. Only this stack's secrets are named so.",
    });
  }
}

export function grantReadState(table: ITable, grantee: IGrantable): Grant {
  return grantAll(grantee, [
    may("ReadBooks", ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"], table.tableArn),
    may("FindDue", ["dynamodb:Query"], ...indexArns(table)),
    ...useKey("DecryptBooks", table.encryptionKey, "read-table"),
  ]);
}

export const CLAIM_CHECK_KEYS = `${CLAIM_CHECKS}*`;

export function grantReadAnswers(bucket: IBucket, grantee: IGrantable): Grant {
  return grantAll(grantee, [
    may("ReadAnswers", ["s3:GetObject"], bucket.arnForObjects(CLAIM_CHECK_KEYS)),
    ...useKey("DecryptAnswers", bucket.encryptionKey, "read-objects"),
  ]);
}

/**
 * Lets accounts that may make rules on the bus read what their events point to: which of their roles, they say themselves. An organization is not let in: a
 * policy for everybody, whatever its conditions, the bucket may refuse as public.
 */
export function shareAnswers(bucket: Bucket, accounts: readonly string[]): void {
  if (accounts.length === 0) return;
  const principals = [...new Set(accounts)].map((account) => new AccountPrincipal(account));
  const resources = [bucket.arnForObjects(CLAIM_CHECK_KEYS)];
  bucket.addToResourcePolicy(
    new PolicyStatement({ sid: "ShareAnswers", principals, actions: ["s3:GetObject"], resources }),
  );
  // Of an imported key the policy is not ours to change.
  bucket.encryptionKey?.addToResourcePolicy(
    new PolicyStatement({
      sid: "SurveyPollerShareAnswers",
      principals,
      actions: ["kms:Decrypt"],
      resources: ["*"],
      conditions: { StringLike: { "kms:ViaService": `s3.${Aws.REGION}.*` } },
    }),
  );
}

export function grantFill(secrets: readonly SecretReference[], grantee: IGrantable): Grant {
  return grantAll(grantee, [
    may("FillSecrets", ["secretsmanager:DescribeSecret", "secretsmanager:PutSecretValue"], ...arnsOf(secrets)),
    ...useKeys("FillSecrets", secrets, "write-secret"),
  ]);
}

export function grantAll(grantee: IGrantable, statements: readonly PolicyStatement[]): Grant {
  return statements
    .map(({ actions, resources, conditions }) =>
      Grant.addToPrincipal({ grantee, actions, resourceArns: resources, conditions }),
    )
    .reduce((sum, grant) => sum.combine(grant));
}
