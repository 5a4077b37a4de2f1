import { Aws } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { AccountPrincipal, Grant, type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket, IBucket } from "aws-cdk-lib/aws-s3";
import { CLAIM_CHECKS } from "../lib/publisher/claim-check.ts";
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

/** The keys that readers of events are let in to. */
export const CLAIM_CHECK_KEYS = `${CLAIM_CHECKS}*`;

export function grantReadAnswers(bucket: IBucket, grantee: IGrantable): Grant {
  return combined(
    allow(grantee, ["s3:GetObject"], [bucket.arnForObjects(CLAIM_CHECK_KEYS)]),
    ...withKeys(grantee, useKey("DecryptAnswers", bucket.encryptionKey, "read-objects")),
  );
}

/**
 * Lets accounts that may make rules on the bus read what their events point to: which of their roles, they say themselves. An organization is not let in: a
 * policy for everybody, whatever its conditions, the bucket may refuse as public.
 */
export function shareAnswers(bucket: Bucket, accounts: readonly string[]): void {
  if (accounts.length === 0) return;
  const principals = [...new Set(accounts)].map((account) => new AccountPrincipal(account));
  bucket.addToResourcePolicy(
    new PolicyStatement({
      sid: "ShareAnswers",
      principals,
      actions: ["s3:GetObject"],
      resources: [bucket.arnForObjects(CLAIM_CHECK_KEYS)],
    }),
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
