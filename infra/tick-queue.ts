import { Duration } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { EventSourceMapping, type IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue, Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { SourceConfig } from "../lib/config/index.ts";
import { INVOCATION } from "../lib/config/invocation.ts";
import { MINUTE } from "../lib/config/units.ts";
import { may } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";
import { createQueue } from "./queues.ts";

const NOT_KEPT = "A tick that does not run, or fails, is not kept: the next one does its work.";

/** The queue of delayed messages by which the function starts the ticks within a minute. Undefined where no source has any. */
export function createTickQueue(
  scope: Construct,
  sources: readonly Pick<SourceConfig, "enabled" | "interval">[],
  encryptionKey: IKey | undefined,
): Queue | undefined {
  if (!sources.some(({ enabled, interval }) => enabled && interval < MINUTE)) return undefined;
  const queue = createQueue(scope, "Ticks", encryptionKey, {
    // A message is of use within its minute alone. SQS keeps none for less.
    retentionPeriod: Duration.minutes(1),
    // Lambda takes no queue that shows a message again before its invocation can be over. By then it is gone.
    visibilityTimeout: Duration.millis(INVOCATION),
  });
  for (const id of ["AwsSolutions-SQS3", "Serverless-SQSRedrivePolicy"])
    acknowledgeFinding(queue, { id, reason: NOT_KEPT });
  return queue;
}

/** What the function may do with the queue: send to it, and have Lambda receive from it in the function's name. */
export function tickStatements(queue: IQueue | undefined): PolicyStatement[] {
  if (queue === undefined) return [];
  const actions = ["SendMessage", "ReceiveMessage", "DeleteMessage", "GetQueueAttributes"];
  return [
    may(
      "TickWithinMinute",
      actions.map((action) => `sqs:${action}`),
      queue.queueArn,
    ),
  ];
}

/** Lets each message start an invocation of its own. Lambda begins with about five at once: with many sources the last ticks of a minute may be lost. */
export function startTicks(scope: Construct, queue: IQueue | undefined, target: IFunction): void {
  if (queue === undefined) return;
  const mapping = new EventSourceMapping(scope, "TicksMapping", {
    target,
    eventSourceArn: queue.queueArn,
    batchSize: 1,
  });
  acknowledgeFinding(mapping, { id: "Serverless-LambdaEventSourceMappingDestination", reason: NOT_KEPT });
}
