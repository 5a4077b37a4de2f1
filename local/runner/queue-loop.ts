import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse } from "aws-lambda";
import { errorCode } from "../../lib/errors.ts";

/** The worker as Lambda would call it: the part of an event of SQS that it reads. */
export type PollSurveyHandler = (
  event: { Records: { messageId: string; body: string }[] },
  context: { awsRequestId: string; getRemainingTimeInMillis(): number },
) => Promise<SQSBatchResponse>;

export interface QueueLoopOptions {
  handler: PollSurveyHandler;
  queueUrl: string;
  /** Invocations at the same time. */
  concurrency: number;
  say: (line: string) => void;
}

export interface QueueLoop {
  /** Invocations under way. */
  running(): number;
  /** Takes no more messages; resolves when the invocations under way are over. */
  stop(): Promise<void>;
}

/** As in the stack: time of an invocation, and seconds for which a failed message stays out of sight. */
const INVOCATION_TIME = 120_000;
const FAILED_FOR = 30;
/** Seconds of a long poll. */
const WAIT = 20;

/** Hands the messages of the work queue to the worker, as Lambda's event source mapping does. */
export function runQueue({ handler, queueUrl, concurrency, say }: QueueLoopOptions): QueueLoop {
  const client = new SQSClient();
  const stopping = new AbortController();
  let running = 0;

  async function invoke(message: Message, owner: string): Promise<void> {
    const { MessageId: messageId = "", Body: body = "", ReceiptHandle: handle } = message;
    const until = Date.now() + INVOCATION_TIME;
    running += 1;
    try {
      const answer = await handler(
        { Records: [{ messageId, body }] },
        { awsRequestId: owner, getRemainingTimeInMillis: () => until - Date.now() },
      );
      const isFailed = answer.batchItemFailures.length > 0;
      const receipt = { QueueUrl: queueUrl, ReceiptHandle: handle };
      await (isFailed
        ? client.send(new ChangeMessageVisibilityCommand({ ...receipt, VisibilityTimeout: FAILED_FOR }))
        : client.send(new DeleteMessageCommand(receipt)));
    } finally {
      running -= 1;
    }
  }

  async function work(owner: string): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { Messages: messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 1, WaitTimeSeconds: WAIT }),
          { abortSignal: stopping.signal },
        );
        for (const message of messages) await invoke(message, owner);
      } catch (error) {
        if (!stopping.signal.aborted) say(`the work queue: ${errorCode(error)}; tried again`);
      }
    }
  }

  // The same for all runs: the data folder's lock proves that whoever held a lease by one of these names is gone.
  const loops = Array.from({ length: concurrency }, (_, i) => work(`local-worker-${i + 1}`));
  return {
    running: () => running,
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      client.destroy();
    },
  };
}
