/** The AWS services that run on the laptop, by the names their faults go by, each with the target of its requests. S3 has none. */
const TARGETS = {
  DynamoDB_20120810: "dynamodb",
  AmazonSQS: "sqs",
  AWSEvents: "eventbridge",
  secretsmanager: "secretsmanager",
} as const;

export type Service = (typeof TARGETS)[keyof typeof TARGETS] | "s3";

/** The service that a request is for, by its header `x-amz-target`. */
export function serviceOf(target = ""): Service {
  const [name = ""] = target.split(".");
  return Object.hasOwn(TARGETS, name) ? TARGETS[name as keyof typeof TARGETS] : "s3";
}

/** The account that fauxqs and dynalite build into their ARNs: all services must agree on one. */
export const ACCOUNT = "000000000000";

export const REGION = "us-east-1";
