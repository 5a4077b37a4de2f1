import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { AwsFailure, namingFailures } from "../aws/failure.ts";
import { patientFor } from "../aws/patience.ts";
import type { SendTicks } from "./poll-scheduled.ts";

/** The queue whose messages start ticks within a minute. Its failure may keep the tick that sends waiting for 4 s. */
export function createTickQueue(
  QueueUrl: string,
  client = new SQSClient({ maxAttempts: 2, requestHandler: patientFor(2_000) }),
): SendTicks {
  const queue = namingFailures("sqs", client);
  return async (source, delays) => {
    const Entries = delays.map((DelaySeconds) => ({ Id: `${DelaySeconds}`, MessageBody: source, DelaySeconds }));
    const { Failed: [failed] = [] } = await queue.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    if (failed !== undefined) throw new AwsFailure("sqs", { code: failed.Code });
  };
}
