import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { type KeySchema, tableDefinition } from "../lib/state/table.ts";
import { acknowledgeFinding } from "./findings.ts";

export interface StateTableProps {
  /** Default: a key that AWS owns. */
  encryptionKey?: IKey | undefined;
  /** Default: it outlives its stack. */
  removalPolicy?: RemovalPolicy | undefined;
}

/**
 * A table for the books, like the one that the poller makes: for a stack of your own that keeps what must be kept. The table outlives its
 * stack, since without it a new deployment could not know what was already emitted. Deletion protection is left off: together with
 * retention it strands the table of a first deployment that was rolled back.
 *
 * @example new SurveyPoller(this, "Surveys", { sources, stateTable: createStateTable(storage, "Books") });
 */
export function createStateTable(scope: Construct, id: string, props: StateTableProps = {}): Table {
  const { encryptionKey, removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE } = props;
  const table = new Table(scope, id, {
    ...keys(tableDefinition),
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy,
    ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
  });
  for (const index of tableDefinition.indexes) {
    table.addGlobalSecondaryIndex({ indexName: index.name, ...keys(index), projectionType: ProjectionType.ALL });
  }
  return table;
}

function keys({ partitionKey, sortKey }: KeySchema) {
  const types = { S: AttributeType.STRING, N: AttributeType.NUMBER };
  return {
    partitionKey: { name: partitionKey.name, type: types[partitionKey.type] },
    sortKey: { name: sortKey.name, type: types[sortKey.type] },
  };
}

/**
 * Answers too large for an event. By default it is kept on deletion: events already delivered or archived point into it.
 *
 * @param periods of large answers, ids and questions; and of records that are kept of waiting and quarantined responses
 */
export function createClaimCheckBucket(
  scope: Construct,
  { all, kept }: { all: Duration; kept: Duration },
  { encryptionKey, removalPolicy }: { encryptionKey: IKey | undefined; removalPolicy: RemovalPolicy },
): Bucket {
  const bucket = new Bucket(scope, "ClaimCheck", {
    // A key of its own for the bucket: else each object would cost a request to KMS.
    ...(encryptionKey === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    lifecycleRules: [
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      // Not of `keys/`: the hashes in the ledger need these as long as it stands.
      ...["answers/", "ids/", "questions/"].map((prefix) => ({ prefix, expiration: all })),
      // The poller deletes them itself, but not those of a source that it does not poll any more.
      { prefix: "kept/", expiration: kept },
    ],
    removalPolicy,
    autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
  });
  acknowledgeFinding(bucket, {
    id: "AwsSolutions-S1",
    reason: "Only the poller writes here and every object is named by an event; access logs would double the objects.",
  });
  return bucket;
}
