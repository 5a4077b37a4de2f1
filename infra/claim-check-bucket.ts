import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { acknowledge, acknowledgeFinding, acknowledgeOwnKey } from "./findings.ts";

export interface ClaimCheckBucketProps {
  /** Of large answers, ids and questions. */
  all: Duration;
  /** Of records that are kept of waiting and quarantined responses. */
  kept: Duration;
  removalPolicy: RemovalPolicy;
  encryptionKey?: IKey | undefined;
}

/** Answers too large for an event. By default it is kept on deletion: events already delivered or archived point into it. */
export function createClaimCheckBucket(scope: Construct, props: ClaimCheckBucketProps): Bucket {
  const { all, kept, removalPolicy, encryptionKey } = props;
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
  const unlogged =
    "Only the poller writes here and every object is named by an event; access logs would double the objects.";
  acknowledgeFinding(bucket, { id: "AwsSolutions-S1", reason: unlogged });
  acknowledge(bucket, {
    S3BucketLoggingEnabled: unlogged,
    S3BucketReplicationEnabled:
      "Objects live for weeks and are personal data: a copy elsewhere would have to be forgotten as well.",
    S3BucketVersioningEnabled: "No object is ever changed, and what is deleted has to be gone: it is personal data.",
  });
  acknowledgeOwnKey(bucket, "S3DefaultEncryptionKMS", encryptionKey);
  return bucket;
}
