import { type CfnElement, Stack } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IEventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { tableDefinition } from "../lib/state/table.ts";
import { type KeyUse, useKey } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";
import type { SecretReference, SourceSecrets } from "./source-secrets.ts";

/** Resources that the function works on. */
export interface Resources {
  table: ITable;
  bus: IEventBus;
  claimCheckBucket: Bucket;
  secrets: readonly SourceSecrets[];
}

/** A policy takes 6,144 characters, and a statement cannot be divided between two policies. */
const MOST_IN_A_STATEMENT = 30;

function inParts<Item>(items: readonly Item[]): Item[][] {
  const parts = Math.ceil(items.length / MOST_IN_A_STATEMENT);
  return Array.from({ length: parts }, (_, i) => items.slice(i * MOST_IN_A_STATEMENT, (i + 1) * MOST_IN_A_STATEMENT));
}

/** Everything that the function may do with the resources, statement by statement. */
export function pollStatements({ table, bus, claimCheckBucket, secrets }: Resources): PolicyStatement[] {
  const credentials = secrets.map((source) => source.credentials);
  const tokens = secrets.map((source) => source.token);
  return [
    new PolicyStatement({
      sid: "KeepBooks",
      actions: [
        "dynamodb:GetItem",
        "dynamodb:BatchGetItem",
        "dynamodb:Query",
        "dynamodb:PutItem",
        "dynamodb:UpdateItem",
        "dynamodb:BatchWriteItem",
      ],
      resources: [table.tableArn],
    }),
    new PolicyStatement({ sid: "Publish", actions: ["events:PutEvents"], resources: [bus.eventBusArn] }),
    new PolicyStatement({
      sid: "KeepLargeAnswers",
      actions: ["s3:PutObject"],
      resources: [claimCheckBucket.arnForObjects("*")],
    }),
    new PolicyStatement({ sid: "FindDue", actions: ["dynamodb:Query"], resources: indexArns(table) }),
    new PolicyStatement({
      sid: "TakeUpWhatWasKept",
      actions: ["s3:GetObject", "s3:DeleteObject"],
      resources: [claimCheckBucket.arnForObjects("*")],
    }),
    // Without it S3 answers for a missing key that access is denied: what was kept would seem gone wherever a right is missing.
    new PolicyStatement({ sid: "TellMissing", actions: ["s3:ListBucket"], resources: [claimCheckBucket.bucketArn] }),
    ...inParts([...credentials, ...tokens]).map(
      (part, index) =>
        new PolicyStatement({
          sid: index === 0 ? "ReadSecrets" : `ReadSecrets${index + 1}`,
          actions: ["secretsmanager:GetSecretValue"],
          resources: part.map(({ arn }) => arn),
        }),
    ),
    new PolicyStatement({
      sid: "KeepToken",
      actions: ["secretsmanager:PutSecretValue"],
      resources: tokens.map(({ arn }) => arn),
    }),
    ...useKey("DecryptBooks", table.encryptionKey, "use-table"),
    ...useKey("DecryptLargeAnswers", claimCheckBucket.encryptionKey, "write-objects"),
    ...useKeys("DecryptCredentials", credentials, "read-secret"),
    ...useKeys("DecryptToken", tokens, "write-secret"),
  ];
}

/** One statement for each key that some secrets are encrypted with. */
export function useKeys(sid: string, secrets: readonly SecretReference[], use: KeyUse): PolicyStatement[] {
  const keys = [...new Set(secrets.flatMap(({ encryptionKey }) => encryptionKey ?? []))];
  return keys.flatMap((key, index) => useKey(index === 0 ? sid : `${sid}${index + 1}`, key, use));
}

export function indexArns(table: ITable): string[] {
  return tableDefinition.indexes.map(({ name }) => `${table.tableArn}/index/${name}`);
}

/** The one wildcard above, acknowledged for that one bucket only: any other wildcard is still a finding. */
export function acknowledgeObjectWildcard(scope: Construct, bucket: Bucket): void {
  acknowledgeAnyKey(scope, bucket, "*");
}

/** Leave to use objects of one bucket whose keys are of this pattern. */
export function acknowledgeAnyKey(scope: Construct, bucket: Bucket, pattern: string): void {
  const logicalId: string = Stack.of(bucket).resolve((bucket.node.defaultChild as CfnElement).logicalId);
  acknowledgeFinding(scope, {
    id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/${pattern}]`,
    reason:
      "The keys are made of event and response ids, which are not known before; all of the bucket is the poller's.",
  });
}
