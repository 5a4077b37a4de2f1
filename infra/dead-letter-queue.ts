import { Duration, Validations } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";

/** Ticks that could not be started or that failed. Nothing is replayed from it: the next tick does the same work. */
export function createDeadLetterQueue(scope: Construct): Queue {
  const queue = new Queue(scope, "DeadLetters", {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({ id: "AwsSolutions-SQS3", reason: "This queue is itself the dead-letter queue." });
  return queue;
}
