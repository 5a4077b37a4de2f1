import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { openTarget } from "../../../cli/target/open-target.ts";
import type { Target } from "../../../cli/target/target.ts";
import { deadLettersOf } from "../../../cli/verbs/forget/dead-letters.ts";
import { ioOf } from "../support/command.ts";
import { useRunningFolder } from "../support/running-folder.ts";

const test = useRunningFolder();

const event = (responseId: number, crk: string | null, sourceName = "main") => ({
  detail: { meta: { sourceName }, data: { surveyId: 7, responseId, response: { crk }, metadata: null } },
});

it("the events of a person are found in the dead-letter queues of webhooks, and deleted there alone when it is done", async () => {
  await using opened = await openTarget({ data: test.folder.data }, ioOf().io);
  const sqs = new SQSClient(opened.client("sqs"));
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "crm-dead" }));
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  const { Attributes = {} } = await sqs.send(asked);
  const arn = String(Attributes.QueueArn);
  const outputs = { ForwardDeadLetterQueueArnCrm: arn, DeadLetterQueueUrl: "not of a webhook" };
  const target: Target = { ...opened, stack: { stackName: "S", functionName: "f", outputs, call: async () => ({}) } };
  const sent = [event(1, null), event(1, null, "other"), event(2, "customer-4711"), event(3, "customer-1"), "no event"];
  for (const one of sent) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(one) }));
  const wanted = {
    responses: [{ source: "main", surveyId: 7, id: 1 }],
    person: { kind: "crk", value: "customer-4711" },
  } as const;

  const seen = await deadLettersOf(target, wanted, false);
  expect(seen).toEqual([{ queue: arn, isWhole: true, events: expect.arrayContaining([sent[0], sent[2]]) }]);
  expect(seen[0]?.events).toHaveLength(2);
  expect((await deadLettersOf(target, wanted, true))[0]?.events).toHaveLength(2);

  expect(await deadLettersOf(target, wanted, true)).toEqual([]);
  expect((await sqs.send(asked)).Attributes?.ApproximateNumberOfMessages).toBe("3");
  sqs.destroy();
});
