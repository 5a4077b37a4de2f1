import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { MOST_QUEUED_FOR } from "../lib/polling/survey/slices.ts";

/** Time of one invocation of the worker: a slice of a minute, and what it may take to bring its state home. */
export const WORKER_TIMEOUT = Duration.minutes(2);
/** A message whose slice failed so often is of no use: ticks queue others meanwhile. */
const MOST_RECEIVES = 3;

/** What ticks leave to the worker. A message out of date is harmless, as the lease and the mark decide what is to be done. */
export function createWorkQueue(scope: Construct, deadLetters: Queue, encryptionKey?: IKey): Queue {
  return new Queue(scope, "Work", {
    ...queueEncryption(encryptionKey),
    enforceSSL: true,
    // Lambda asks for six times the function's timeout: else a message comes again while its slice is still retried.
    visibilityTimeout: Duration.minutes(6 * WORKER_TIMEOUT.toMinutes()),
    // As long as ticks wait for one where many surveys are caught up.
    retentionPeriod: Duration.millis(MOST_QUEUED_FOR),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: MOST_RECEIVES },
  });
}

export function queueEncryption(
  encryptionKey: IKey | undefined,
): Pick<QueueProps, "encryption" | "encryptionMasterKey"> {
  if (encryptionKey === undefined) return { encryption: QueueEncryption.SQS_MANAGED };
  return { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey };
}
