import assert from "node:assert/strict";
import { join } from "node:path";
import { RemovePermissionCommand } from "@aws-sdk/client-eventbridge";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { createAws } from "../../support/aws.ts";
import { ROOT } from "../../support/cdk.ts";
import { succeed } from "../../support/processes.ts";
import { output } from "../stage.ts";
import { deployExample, type ExampleStage, exampleOutput, untilAfterTicks } from "./stage.ts";

const NAME = "forward-to-another-account";
/** The other account, which the poller's configuration names. */
export const RECEIVER = "222222222222";
/** More than the poller leaves in an event. */
const LARGE = 300_000;

export async function forwardToAnotherAccount(on: ExampleStage): Promise<void> {
  const { report, stage, deployment, surveyId } = on;
  const { simulator, emulator } = stage;
  const there = createAws(emulator.url, RECEIVER);
  const env = { AWS_ACCESS_KEY_ID: RECEIVER };
  const receiver = await report.step(`${NAME}: the receiving stack is deployed in account ${RECEIVER}`, async () => {
    const environment = `aws://${RECEIVER}/us-east-1`;
    // Outside of any app, which would be synthesised first.
    const options = { cwd: stage.folder, env: { ...emulator.env, ...env }, limit: 60_000 };
    await succeed(join(ROOT, "node_modules/.bin/cdk"), ["bootstrap", environment], options);
    return deployExample(on, NAME, {
      heading: "## Receive",
      replace: [
        ["<pollerAccount>", "000000000000"],
        ["<ClaimCheckBucketName>", output(deployment, "ClaimCheckBucketName")],
      ],
      env,
    });
  });
  const inboxArn = exampleOutput(receiver, "InboxArn");
  assert.match(inboxArn, new RegExp(`:${RECEIVER}:`));
  const forwarder = await report.step(`${NAME}: the forwarding stack is deployed in the poller's account`, () =>
    deployExample(on, NAME, { heading: "## Forward", replace: [["<InboxArn>", inboxArn]] }),
  );
  await report.step(`${NAME}: the other account reads each response, a large one with its answers`, async (note) => {
    simulator.complete(surveyId, 4);
    const [large = 0] = simulator.complete(surveyId, 1, { records: 1, commentBytes: LARGE });
    const wanted = simulator
      .truth(surveyId)
      .map(({ responseId, records }) => lineOf(surveyId, responseId, records.length));
    const group = exampleOutput(receiver, "LogGroupName");
    let lines: string[] = [];
    await untilAfterTicks(on, "the other account lacks responses", async () => {
      lines = await there.logs(group);
      return wanted.every((one) => lines.some((line) => line.includes(one)));
    });
    assert.ok(!lines.some((line) => line.includes("is not read")), "something was not read");
    await on.everything.drain();
    const event = on.everything.events.find(({ detail }) => detail.data.responseId === large);
    const bytes = event?.detail.data.answersRef?.bytes ?? 0;
    assert.ok(bytes > LARGE / 2, "no answers went to the bucket");
    note(`${wanted.length} responses; the answers of one, ${bytes} bytes, came out of the poller's bucket`);
  });
  await report.step(`${NAME}: what the inbox does not take lies in the rule's queue`, async () => {
    await there.events.send(new RemovePermissionCommand({ EventBusName: "surveys", RemoveAllPermissions: true }));
    const [refused] = simulator.complete(surveyId);
    const QueueUrl = exampleOutput(forwarder, "UndeliveredQueueUrl");
    await untilAfterTicks(on, "nothing lies in the queue", async () => {
      const { Messages = [] } = await stage.aws.sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
      );
      return Messages.some(({ Body = "" }) => Body.includes(`"responseId": ${refused},`));
    });
  });
  await report.step(`${NAME}: both are destroyed`, async () => {
    await forwarder.destroy();
    await receiver.destroy();
  });
  there.close();
}

function lineOf(surveyId: number, responseId: number, answers: number): string {
  return `survey ${surveyId}, response ${responseId}: ${answers} answers`;
}
