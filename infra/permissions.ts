import { type CfnElement, Stack, Validations } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { tableDefinition } from "../lib/state/table.ts";
import type { SourceSecrets } from "./source-secrets.ts";

/** What the functions work on. */
export interface Resources {
  table: Table;
  bus: EventBus;
  claimCheckBucket: Bucket;
  secrets: readonly SourceSecrets[];
}

/** Everything the scheduled function may do with the resources, statement by statement. */
export function pollStatements({ table, bus, claimCheckBucket, secrets }: Resources): PolicyStatement[] {
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
    new PolicyStatement({
      sid: "FindDue",
      actions: ["dynamodb:Query"],
      resources: tableDefinition.indexes.map(({ name }) => `${table.tableArn}/index/${name}`),
    }),
    new PolicyStatement({ sid: "Publish", actions: ["events:PutEvents"], resources: [bus.eventBusArn] }),
    new PolicyStatement({
      sid: "KeepLargeAnswers",
      actions: ["s3:PutObject", "s3:GetObject", "s3:DeleteObject"],
      resources: [claimCheckBucket.arnForObjects("*")],
    }),
    new PolicyStatement({
      sid: "ReadSecrets",
      actions: ["secretsmanager:GetSecretValue"],
      resources: secrets.flatMap(({ credentials, token }) => [credentials.ref, token.ref]),
    }),
    new PolicyStatement({
      sid: "KeepToken",
      actions: ["secretsmanager:PutSecretValue"],
      resources: secrets.map(({ token }) => token.ref),
    }),
  ];
}

/** The one wildcard above, acknowledged for that one bucket only: any other wildcard is still a finding. */
export function acknowledgeObjectWildcard(scope: Construct, bucket: Bucket): void {
  const logicalId: string = Stack.of(bucket).resolve((bucket.node.defaultChild as CfnElement).logicalId);
  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/*]`,
    reason:
      "The keys are made of event and response ids, which are not known before; all of the bucket is the poller's.",
  });
}
