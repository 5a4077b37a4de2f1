import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Slices } from "../../polling/ports.ts";
import type { SliceMessage } from "./message.ts";

/** The work queue as the ticks of one source see it; messages of a time before `since` are not on their way any more. */
export function createSliceQueue(
  client: () => Promise<SQSClient>,
  queueUrl: string,
  source: string,
  since?: number,
): Slices {
  return {
    ...(since === undefined ? {} : { since }),
    async send({ surveyId, until, number }) {
      const message: SliceMessage = { source, surveyId, until, number };
      const { SendMessageCommand } = await import("../../aws/sqs.ts");
      await (await client()).send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) }));
    },
  };
}
