import { Duration, Validations } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { queueEncryption } from "./work-queue.ts";

/** Ticks that could not be started or that failed. Nothing is replayed from it: the next tick does the same work. */
export function createDeadLetterQueue(scope: Construct, encryptionKey?: IKey): Queue {
  const queue = new Queue(scope, "DeadLetters", {
    ...queueEncryption(encryptionKey),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({ id: "AwsSolutions-SQS3", reason: "This queue is itself the dead-letter queue." });
  return queue;
}
