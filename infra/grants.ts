import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { Grant, type IGrantable, type PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { useKey } from "./encryption.ts";
import { indexArns, useKeys } from "./permissions.ts";
import type { SecretReference } from "./source-secrets.ts";

export function grantReadState(table: ITable, grantee: IGrantable): Grant {
  return combined(
    allow(grantee, ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"], [table.tableArn]),
    allow(grantee, ["dynamodb:Query"], indexArns(table)),
    ...withKeys(grantee, useKey("DecryptBooks", table.encryptionKey, "read-table")),
  );
}

/** Keys of claim checks begin with an event id; what else is in the bucket, such as records in quarantine, is nobody's but the poller's. */
const CLAIM_CHECKS = `${[8, 4, 4, 4, 12].map((length) => "?".repeat(length)).join("-")}/*`;

export function grantReadAnswers(bucket: Bucket, grantee: IGrantable): Grant {
  return combined(
    allow(grantee, ["s3:GetObject"], [bucket.arnForObjects(CLAIM_CHECKS)]),
    ...withKeys(grantee, useKey("DecryptAnswers", bucket.encryptionKey, "read-objects")),
  );
}

export function grantFill(secrets: readonly SecretReference[], grantee: IGrantable): Grant {
  return combined(
    allow(
      grantee,
      ["secretsmanager:DescribeSecret", "secretsmanager:PutSecretValue"],
      secrets.map(({ arn }) => arn),
    ),
    ...withKeys(grantee, useKeys("FillSecrets", secrets, "write-secret")),
  );
}

export function allow(grantee: IGrantable, actions: string[], resourceArns: string[]): Grant {
  return Grant.addToPrincipal({ grantee, actions, resourceArns });
}

export function combined(...[first, ...rest]: [Grant, ...Grant[]]): Grant {
  return rest.reduce((sum, grant) => sum.combine(grant), first);
}

function withKeys(grantee: IGrantable, statements: readonly PolicyStatement[]): Grant[] {
  return statements.map(({ actions, resources, conditions }) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: resources, conditions }),
  );
}
