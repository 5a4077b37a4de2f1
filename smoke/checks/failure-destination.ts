import { randomUUID } from "node:crypto";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { outputOf, type SmokeCheck } from "../context.ts";
import { OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";

/** An asynchronous invocation that fails lies in the poller's dead-letter queue. */
export const failureDestination: SmokeCheck = {
  name: "failure-destination",
  needs: [],
  after: ["schedule"],
  // Its alarm may rise: that is for another check.
  waitsFor: ["alarms", "dead-letter-alarm"],
  deadline: 180_000,
  async run(context, { until }) {
    const { lambda, sqs } = context.aws;
    const mark = randomUUID();
    const payload = JSON.stringify({ source: "main", unknown: mark });
    const FunctionName = outputOf(context, "pollFunction", OUTPUTS);
    await lambda.send(new InvokeCommand({ FunctionName, InvocationType: "Event", Payload: Buffer.from(payload) }));
    const QueueUrl = outputOf(context, "deadLetters", OUTPUTS);
    const body = await until("the failed invocation in the dead-letter queue", async () => {
      const asked = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1, VisibilityTimeout: 5 });
      for (const { Body = "", ReceiptHandle } of (await sqs.send(asked)).Messages ?? []) {
        if (!Body.includes(mark)) continue;
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        return Body;
      }
      return undefined;
    });
    const { requestContext } = JSON.parse(body) as {
      requestContext?: { condition?: string; approximateInvokeCount?: number };
    };
    const attempts = requestContext?.approximateInvokeCount;
    const shown = `a failed invocation came there: ${requestContext?.condition}`;
    // The emulator says three of whatever it has tried.
    if (context.options.emulator) return shown;
    mustBe(attempts === 1, `it was tried ${attempts} times`, "its asynchronous configuration must say no retries");
    return `${shown}, after one attempt`;
  },
};
