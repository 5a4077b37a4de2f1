import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { createTickQueue } from "../../../lib/run/tick-queue.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();

/** A client of the sender's own, which is changed to name its failures. */
function clientOf({ endpoint, credentials }: typeof test.aws): SQSClient {
  return new SQSClient({ region: "us-east-1", endpoint, credentials, maxAttempts: 1 });
}

it("each tick has a message, which names the source and comes after its delay", async () => {
  const { sqs } = test.clients;
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: "ticks" }));
  await createTickQueue(QueueUrl, clientOf(test.aws))("eu", [0, 30]);
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(["eu"]);
  const AttributeNames = ["ApproximateNumberOfMessagesDelayed" as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  expect(Attributes).toEqual({ ApproximateNumberOfMessagesDelayed: "1" });
});

it.each([
  ["that is gone", "gone", "eu", /SQS could not be used \(.*(NonExistentQueue|QueueDoesNotExist)\)/],
  ["that refuses some of them", "ticks", "\u{1f44d}", /SQS could not be used \(InvalidMessageContents\)/],
])("a queue %s is a failure", async (_what, name, source, message) => {
  const { QueueUrl = "" } = await test.clients.sqs.send(new CreateQueueCommand({ QueueName: "ticks" }));
  const sent = createTickQueue(QueueUrl.replace(/ticks$/, name), clientOf(test.aws))(source, [10, 20]);
  await expect(sent).rejects.toMatchObject({ code: "SQS_FAILED", message: expect.stringMatching(message) });
});
