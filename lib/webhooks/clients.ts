import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { namingFailures } from "../aws/failure.ts";
import { patientFor } from "../aws/patience.ts";
import { createS3 } from "../aws/s3-client.ts";
import { URL_HOLDS } from "./event.ts";
import type { GivenUp } from "./forward-batch.ts";

/** An attempt and its retry must fit into what an invocation keeps in reserve. */
const BRIEF = { maxAttempts: 2, requestHandler: patientFor(2_000) };

export function createSecretsClient(): SecretsManagerClient {
  return namingFailures("secrets", new SecretsManagerClient(BRIEF));
}

/** The requests of the forwarder to its two queues. */
export function createQueues({ queueUrl, deadLettersUrl }: { queueUrl: string; deadLettersUrl: string }) {
  const client = new SQSClient(BRIEF);
  return {
    async hide(ReceiptHandle: string, VisibilityTimeout: number): Promise<void> {
      await client.send(new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout }));
    },
    /** The message is the event; its attributes have the names that those of EventBridge's own dead letters have. */
    async giveUp(MessageBody: string, { code, message, attempts }: GivenUp): Promise<void> {
      const MessageAttributes = {
        ERROR_CODE: { DataType: "String", StringValue: code },
        ERROR_MESSAGE: { DataType: "String", StringValue: message },
        ATTEMPTS: { DataType: "Number", StringValue: `${attempts}` },
      };
      await client.send(new SendMessageCommand({ QueueUrl: deadLettersUrl, MessageBody, MessageAttributes }));
    },
  };
}

/** Gives the address of an object that holds without credentials, for as long as `URL_HOLDS` says and those of the function do. */
export function createPresigner(bucket: string): (key: string) => Promise<string> {
  let made: ReturnType<typeof createS3> | undefined;
  return async (Key) => {
    // Few events are so large.
    made ??= createS3();
    const [{ getSignedUrl }, { GetObjectCommand }, client] = await Promise.all([
      import("@aws-sdk/s3-request-presigner"),
      import("../aws/s3.ts"),
      made,
    ]);
    return getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key }), { expiresIn: URL_HOLDS });
  };
}
