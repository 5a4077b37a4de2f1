import assert from "node:assert/strict";
import { PurgeQueueCommand } from "@aws-sdk/client-sqs";
import type { DeliveredEvent } from "../../support/command.ts";
import type { AlarmWatch } from "../support/alarms.ts";
import { ROOT } from "../support/cdk.ts";
import { blocksBelow } from "../support/document.ts";
import { shell } from "../support/processes.ts";
import { type Deployed, output } from "../support/stage.ts";
import { isReplayed } from "../support/subscription.ts";
import { tick, untilArrived } from "../support/ticks.ts";
import { until } from "../support/until.ts";

interface DeadLetter {
  Body: string;
  MessageAttributes: Record<string, { StringValue: string }>;
}

/** A webhook's endpoint that is down: tried again, given up, seen by the alarm, and brought up to date by what docs/events.md says. */
export async function webhookFails(on: Deployed, watch: AlarmWatch): Promise<void> {
  const { report, aws, simulator, emulator, webhook, everything, detractors } = on;
  const queue = output(on, "ForwardDeadLetterQueueArncrm").split(":").at(-1) ?? "";
  const QueueUrl = output(on, "DeadLetterQueueUrl").replace(/[^/]+$/, queue);
  /** The new events that are for the webhook: some of eight, so that one look at the queue shows all. */
  const news = async (): Promise<DeliveredEvent[]> => {
    await detractors.drain();
    const before = detractors.events.length;
    simulator.complete(2, 8);
    await untilArrived(on);
    await detractors.drain();
    const found = detractors.events.slice(before);
    assert.ok(found.length > 0, "nothing of it is for the webhook");
    return found;
  };
  const answerTo = async (command: string): Promise<string> =>
    (await shell(command, { cwd: ROOT, env: emulator.env, limit: 30_000 })).stdout;

  await report.step("a webhook's endpoint that answers 503 is tried again, and takes the event then", async () => {
    webhook.refuse(1);
    await news();
    const [refused] = webhook.refused();
    const isTaken = () => webhook.taken().some(({ event }) => event.id === refused?.event.id);
    await until("what was refused does not come again", isTaken);
    assert.equal(webhook.refused().length, 1);
    assert.equal(await aws.waiting(QueueUrl), 0);
  });
  const missed = await report.step("dead letters of the webhook: it answers 503 to every attempt", async (note) => {
    const before = webhook.refused().length;
    webhook.refuse();
    const found = await news();
    await until("what was given up is not in the queue", async () => (await aws.waiting(QueueUrl)) === found.length);
    // One more than the configuration allows for.
    assert.equal(webhook.refused().length - before, 2 * found.length);
    await watch.until(queue, () => tick(on));
    note(`${found.length} events`);
    return found;
  });
  await report.step("the queue says what was not delivered, and why", async () => {
    const [look = ""] = commandsBelow("What was not delivered");
    const { Messages } = JSON.parse(await answerTo(look.replace("<queue>", QueueUrl))) as { Messages: DeadLetter[] };
    assert.deepEqual(Messages.map(({ Body }) => JSON.parse(Body)).sort(byId), [...missed].sort(byId));
    for (const { MessageAttributes } of Messages) {
      const said = Object.entries(MessageAttributes).map(([name, value]) => [name, value.StringValue]);
      const wanted = { ERROR_CODE: "ENDPOINT_FAILED", ERROR_MESSAGE: "the endpoint answered 503", ATTEMPTS: "2" };
      assert.deepEqual(Object.fromEntries(said), wanted);
    }
  });
  await report.step("once it is up, a replay to its rule alone brings what it missed", async (note) => {
    webhook.refuse(0);
    const [listRules = "", replay = ""] = commandsBelow("Replay");
    const rules = (await answerTo(listRules)).split("\n").map((line) => line.split("\t"));
    const [rule = ""] = rules.find(([, description]) => description?.endsWith("webhook crm")) ?? [];
    const times = missed.map(({ time }) => Date.parse(time));
    const words: [string | RegExp, string][] = [
      ["<rule ARN>", rule],
      ["<ArchiveArn>", output(on, "ArchiveArn")],
      ["<BusArn>", output(on, "BusArn")],
      [/(?<=--event-start-time )\S+/, new Date(Math.min(...times)).toISOString()],
      // An event's time has no fractions of a second.
      [/(?<=--event-end-time )\S+/, new Date(Math.max(...times) + 1000).toISOString()],
    ];
    await answerTo(words.reduce((command, [word, value]) => command.replace(word, value), replay));
    await until("what was missed does not come", () => {
      const replayed = webhook.taken().filter(({ event }) => isReplayed(event));
      const ids = new Set(replayed.map(({ event }) => event.detail.meta.eventId));
      return missed.every(({ detail }) => ids.has(detail.meta.eventId));
    });
    await everything.drain();
    assert.deepEqual(everything.replayed, [], "another subscriber has had it too");
    await aws.sqs.send(new PurgeQueueCommand({ QueueUrl }));
    await watch.until(undefined, () => tick(on), queue);
    note(`${missed.length} events`);
  });
}

/** The commands of the first block below a heading of docs/events.md. */
function commandsBelow(heading: string): string[] {
  return blocksBelow("docs/events.md", heading)[0]?.split("\n") ?? [];
}

function byId({ id: one }: { id: string }, { id: other }: { id: string }): number {
  return one.localeCompare(other);
}
