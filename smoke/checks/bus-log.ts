import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { busLogName } from "../../infra/bus-log.ts";
import { unlessMissing } from "../aws/clients.ts";
import { outputOf, type SmokeCheck } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";

/** The steps of a delivery that has failed. */
const FAILURE = /INVOCATION\w*(?:FAILURE|DLQ)/;

/** A rule whose queue lets nothing in: the bus's log says so, without anything of the event, and the rule's dead-letter queue has the event. */
export const busLog: SmokeCheck = {
  name: "bus-log",
  needs: ["bus log"],
  after: ["schedule"],
  deadline: 900_000,
  async run(context, { until }) {
    const logGroupName = busLogName(NAMES.bus);
    const line = await until(`a line in ${logGroupName}`, async () => {
      const found = await unlessMissing(context.aws.logs.send(new FilterLogEventsCommand({ logGroupName })));
      return found?.events?.find(({ message = "" }) => FAILURE.test(message))?.message;
    });
    mustBe(!line.includes("responseId"), "the bus's log holds something of the event", "set includeDetail to NONE");
    const QueueUrl = outputOf(context, "undelivered", OUTPUTS);
    const message = await until("the event in the rule's dead-letter queue", async () => {
      const asked = { QueueUrl, MessageAttributeNames: ["All"], WaitTimeSeconds: 1 };
      return (await context.aws.sqs.send(new ReceiveMessageCommand(asked))).Messages?.[0];
    });
    const code = message.MessageAttributes?.ERROR_CODE?.StringValue;
    return `the log has ${FAILURE.exec(line)?.[0]}, the dead letter says ${code}`;
  },
};
