import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GetQueueAttributesCommand, PurgeQueueCommand } from "@aws-sdk/client-sqs";
import type { DeliveredEvent } from "../../support/command.ts";
import type { AlarmWatch } from "../support/alarm-watch.ts";
import { ROOT } from "../support/cdk.ts";
import { shell } from "../support/processes.ts";
import { readBlocks } from "../support/read-steps.ts";
import { until } from "../support/until.ts";
import { over } from "./alarms-are-raised.ts";
import { timesOf } from "./archived.ts";
import { allArrived, eventsAreRight } from "./settled.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

interface DeadLetter {
  Body: string;
  MessageAttributes: Record<string, { StringValue: string }>;
}

/** A webhook's endpoint that is down: tried again, given up, seen by the alarm, and brought up to date by what docs/events.md says. */
export async function webhookFails(
  stage: Stage,
  deployment: Deployment,
  subscribers: Subscribers,
  watch: AlarmWatch,
): Promise<void> {
  const { report, aws, simulator, emulator, webhook } = stage;
  const { everything, detractors } = subscribers;
  const tick = () => aws.invoke(output(deployment, "PollFunctionName"));
  const queue = output(deployment, "ForwardDeadLetterQueueArncrm").split(":").at(-1) ?? "";
  const QueueUrl = output(deployment, "DeadLetterQueueUrl").replace(/[^/]+$/, queue);
  const deadLetters = async (): Promise<number> => {
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["ApproximateNumberOfMessages"] });
    return Number((await aws.sqs.send(asked)).Attributes?.ApproximateNumberOfMessages);
  };
  /** The new events that are for the webhook: some of eight, so that one look at the queue shows all. */
  const news = async (): Promise<DeliveredEvent[]> => {
    const before = detractors.events.length;
    simulator.complete(2, 8);
    await allArrived(stage, deployment, subscribers, { within: 20_000 });
    await detractors.drain();
    const found = detractors.events.slice(before);
    assert.ok(found.length > 0, "nothing of it is for the webhook");
    return found;
  };
  const answerTo = async (command: string): Promise<string> =>
    (await shell(command, { cwd: ROOT, env: emulator.env, limit: 30_000 })).stdout;
  const documented = (heading: string): string[] => {
    const [block] = readBlocks(readFileSync(join(ROOT, "docs", "events.md"), "utf8"), heading);
    // One command may go over several lines.
    return block?.code.trim().split(/(?<!\\)\n/) ?? [];
  };

  await report.step("a webhook's endpoint that answers 503 is tried again, and takes the event then", async (note) => {
    webhook.refuse(503, 1);
    await news();
    const [refused] = webhook.refused();
    const isTaken = () => webhook.taken().some(({ event }) => event.id === refused?.event.id);
    await until("what was refused does not come again", () => Promise.resolve(isTaken()));
    note(await eventsAreRight(stage, subscribers, 400));
    assert.equal(webhook.refused().length, 1);
    assert.equal(await deadLetters(), 0);
  });
  const end = webhook.refuse(503);
  const missed = await report.step(
    "dead letters of the webhook: its endpoint answers 503 to every attempt",
    async (note) => {
      const before = webhook.refused().length;
      const found = await news();
      await until("what was given up is not in the queue", async () => (await deadLetters()) === found.length);
      const attempts = webhook.refused().length - before;
      assert.equal(attempts, found.length * (1 + webhook.config.retry.attempts));
      const periods = await watch.until([queue], tick);
      note(`${found.length} events after ${attempts} attempts; raised after ${periods} periods`);
      return found;
    },
  );
  await report.step("the queue says what was not delivered, and why", async (note) => {
    const [look = ""] = documented("### What was not delivered");
    const { Messages } = JSON.parse(await answerTo(look.replace("<queue>", QueueUrl))) as { Messages: DeadLetter[] };
    assert.deepEqual(Messages.map(({ Body }) => JSON.parse(Body)).sort(byId), [...missed].sort(byId));
    for (const { MessageAttributes } of Messages) {
      const said = Object.fromEntries(
        Object.entries(MessageAttributes).map(([name, value]) => [name, value.StringValue]),
      );
      const wanted = { ERROR_CODE: "ENDPOINT_FAILED", ERROR_MESSAGE: "the endpoint answered 503", ATTEMPTS: "2" };
      assert.deepEqual(said, wanted);
    }
    note(Messages[0]?.MessageAttributes.ERROR_MESSAGE?.StringValue ?? "");
  });
  await report.step("once it is up, a replay to its rule alone brings what it missed", async (note) => {
    end();
    const [listRules = "", replay = ""] = documented("### Replay");
    const rules = (await answerTo(listRules)).split("\n").map((line) => line.split("\t"));
    const [rule = ""] = rules.find(([, description]) => description?.endsWith(`webhook ${webhook.config.name}`)) ?? [];
    const { EventStartTime, EventEndTime } = timesOf(missed);
    const before = { everything: everything.replayed.length, webhook: webhook.replayed().length };
    const words: [string | RegExp, string][] = [
      ["<rule ARN>", rule],
      ["<ArchiveArn>", output(deployment, "ArchiveArn")],
      ["<BusArn>", output(deployment, "BusArn")],
      [/(?<=--event-start-time )\S+/, EventStartTime.toISOString()],
      [/(?<=--event-end-time )\S+/, EventEndTime.toISOString()],
    ];
    await answerTo(words.reduce((command, [word, value]) => command.replace(word, value), replay));
    const again = () =>
      new Set(
        webhook
          .replayed()
          .slice(before.webhook)
          .map(({ detail }) => detail.meta.eventId),
      );
    const isThere = () => missed.every(({ detail }) => again().has(detail.meta.eventId));
    await until("what was missed does not come", () => Promise.resolve(isThere()));
    await everything.drain();
    assert.equal(everything.replayed.length, before.everything, "another subscriber has had it too");
    await aws.sqs.send(new PurgeQueueCommand({ QueueUrl }));
    note(`${missed.length} events; over after ${await over(watch, queue, tick)} periods, once the queue is empty`);
  });
}

function byId({ id: one }: { id: string }, { id: other }: { id: string }): number {
  return one.localeCompare(other);
}
