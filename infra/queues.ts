import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { letService } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";

/** A queue, encrypted with its own key or one of yours. It keeps things for 14 days by default, which is the longest that SQS keeps anything. */
export function createQueue(
  scope: Construct,
  id: string,
  encryptionKey: IKey | undefined,
  settings: Pick<QueueProps, "visibilityTimeout" | "deadLetterQueue" | "retentionPeriod"> = {},
): Queue {
  return new Queue(scope, id, {
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...settings,
  });
}

export function createDeadLetters(scope: Construct, encryptionKey: IKey | undefined): Queue {
  const queue = createQueue(scope, "DeadLetters", encryptionKey);
  for (const id of ["AwsSolutions-SQS3", "Serverless-SQSRedrivePolicy"])
    acknowledgeFinding(queue, { id, reason: "This queue is itself the dead-letter queue." });
  return queue;
}

/** Lets EventBridge send to a queue in the name of one rule or bus alone. */
export function takeEvents(queue: Queue, sid: string, sourceArn: string): void {
  queue.addToResourcePolicy(
    letService("events.amazonaws.com", {
      sid,
      actions: ["sqs:SendMessage"],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { "aws:SourceArn": sourceArn } },
    }),
  );
}
