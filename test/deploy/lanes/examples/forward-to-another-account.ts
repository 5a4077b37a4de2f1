import assert from "node:assert/strict";
import { join } from "node:path";
import { createAws } from "../../support/aws.ts";
import { ROOT } from "../../support/cdk.ts";
import { deployExample, type ExampleStage, LARGE } from "../../support/examples.ts";
import { succeed } from "../../support/processes.ts";
import { output } from "../../support/stage.ts";
import { completed, untilAfterTicks } from "../../support/ticks.ts";

/** The other account, which the poller's configuration names. */
export const RECEIVER = "222222222222";
export async function forwardToAnotherAccount(on: ExampleStage): Promise<void> {
  const { report, simulator, emulator, folder, surveyId } = on;
  const there = createAws(emulator.url, RECEIVER);
  const env = { AWS_ACCESS_KEY_ID: RECEIVER };
  await report.step(`account ${RECEIVER} is bootstrapped`, () =>
    // Outside of any app, which would be synthesised first.
    succeed(join(ROOT, "node_modules/.bin/cdk"), ["bootstrap", `aws://${RECEIVER}/us-east-1`], {
      cwd: folder,
      env: { ...emulator.env, ...env },
      limit: 60_000,
    }),
  );
  const names = { "<pollerAccount>": "000000000000", "<ClaimCheckBucketName>": output(on, "ClaimCheckBucketName") };
  const receiver = await deployExample(on, { heading: "Receive", replace: names, env });
  const inboxArn = output(receiver, "InboxArn");
  assert.match(inboxArn, new RegExp(`:${RECEIVER}:`));
  const forwarder = await deployExample(on, { heading: "Forward", replace: { "<InboxArn>": inboxArn } });
  await report.step("the other account reads each response, a large one with its answers", async (note) => {
    simulator.complete(surveyId, 4);
    const [large = 0] = simulator.complete(surveyId, 1, { records: 1, commentBytes: LARGE });
    const wanted = simulator
      .truth(surveyId)
      .map(({ responseId, records }) => `survey ${surveyId}, response ${responseId}: ${records.length} answers`);
    let lines: string[] = [];
    await untilAfterTicks(on, "the other account lacks responses", async () => {
      lines = await there.logs(output(receiver, "LogGroupName"));
      return wanted.every((one) => lines.some((line) => line.includes(one)));
    });
    assert.ok(!lines.some((line) => line.includes("is not read")), "something was not read");
    const event = completed(on, surveyId).find(({ detail }) => detail.data.responseId === large);
    const bytes = event?.detail.data.answersRef?.bytes ?? 0;
    assert.ok(bytes > LARGE / 2, "no answers went to the bucket");
    note(`${wanted.length} responses; the answers of one, ${bytes} bytes, came out of the poller's bucket`);
  });
  await report.step("both are destroyed", async () => {
    await forwarder.destroy();
    await receiver.destroy();
  });
  there.close();
}
