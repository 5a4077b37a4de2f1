import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { acknowledgeDeadLetters } from "./acknowledge.ts";
import { queueEncryption } from "./encryption.ts";

/** Ticks that could not be started or that failed. Nothing is replayed from it: the next tick does the same work. */
export function createDeadLetterQueue(scope: Construct, encryptionKey?: IKey): Queue {
  const queue = new Queue(scope, "DeadLetters", {
    ...queueEncryption(encryptionKey),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  acknowledgeDeadLetters(queue);
  return queue;
}
