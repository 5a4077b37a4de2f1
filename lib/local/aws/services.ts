/** The AWS services that run on the laptop, by the names their endpoints and faults go by. */
export const services = ["dynamodb", "sqs", "s3", "eventbridge", "secretsmanager"] as const;

export type Service = (typeof services)[number];

/** The account that fauxqs and dynalite build into their ARNs: all services must agree on one. */
export const ACCOUNT = "000000000000";

export const REGION = "us-east-1";
