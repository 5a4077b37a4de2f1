import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";

/** Answers too large for an event. It is kept on deletion: events already delivered or archived point into it. */
export function createClaimCheckBucket(scope: Construct, retention: Duration): Bucket {
  const bucket = new Bucket(scope, "ClaimCheck", {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    lifecycleRules: [{ expiration: retention, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    removalPolicy: RemovalPolicy.RETAIN,
  });
  Validations.of(bucket).acknowledge({
    id: "AwsSolutions-S1",
    reason: "Only the poller writes here and every object is named by an event; access logs would double the objects.",
  });
  return bucket;
}
