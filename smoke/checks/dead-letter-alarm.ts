import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { outputOf, type SmokeCheck } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { alarmsOf } from "./alarms.ts";

const MESSAGE = "smoke: raises the alarm";

/** What cannot be delivered raises the alarm on the queue it ends in. */
export const deadLetterAlarm: SmokeCheck = {
  name: "dead-letter-alarm",
  needs: ["alarm evaluation"],
  after: ["alarms"],
  deadline: 900_000,
  async run(context, { until }) {
    const { sqs } = context.aws;
    const QueueUrl = outputOf(context, "deadLetters", OUTPUTS);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: MESSAGE }));
    const queueName = QueueUrl.split("/").at(-1);
    const raised = await until("that the alarm on the dead-letter queue is raised", async () =>
      (await alarmsOf(context, NAMES.pollerStack)).find(
        ({ StateValue, Dimensions }) =>
          StateValue === "ALARM" && Dimensions?.some(({ Name, Value }) => Name === "QueueName" && Value === queueName),
      ),
    );
    await until("its message, to take it away again", async () => {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
      const own = Messages.find(({ Body }) => Body === MESSAGE);
      if (own === undefined) return undefined;
      return await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: own.ReceiptHandle }));
    });
    return `${raised.AlarmName} is raised, and tells ${raised.AlarmActions?.length ?? 0} topic`;
  },
};
