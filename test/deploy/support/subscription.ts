import { PutRuleCommand, PutTargetsCommand } from "@aws-sdk/client-eventbridge";
import { CreateQueueCommand, GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import type { DeliveredEvent } from "../../support/command.ts";
import type { Aws } from "./aws.ts";

export type Subscription = Awaited<ReturnType<typeof subscribe>>;

export function isReplayed(event: DeliveredEvent): boolean {
  return "replay-name" in event;
}

/** Subscribes a queue of its own to a bus by a rule, as a team that reads the events would. */
export async function subscribe(aws: Aws, bus: string, name: string, pattern: object) {
  const { QueueUrl } = await aws.sqs.send(new CreateQueueCommand({ QueueName: name }));
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
  const Arn = (await aws.sqs.send(asked)).Attributes?.QueueArn;
  const rule = { EventBusName: bus, Name: name, EventPattern: JSON.stringify(pattern) };
  await aws.events.send(new PutRuleCommand(rule));
  const targets = { EventBusName: bus, Rule: name, Targets: [{ Id: "queue", Arn }] };
  await aws.events.send(new PutTargetsCommand(targets));

  const events: DeliveredEvent[] = [];
  const replayed: DeliveredEvent[] = [];
  return {
    /** Everything that was received so far, in that order, repeats included, but for replays. */
    events: events as readonly DeliveredEvent[],
    /** What a replay of the archive has sent again. */
    replayed: replayed as readonly DeliveredEvent[],
    /** Receives what there is. */
    async drain(): Promise<void> {
      for (const { Body = "" } of await aws.take(QueueUrl)) {
        const event = JSON.parse(Body) as DeliveredEvent;
        (isReplayed(event) ? replayed : events).push(event);
      }
    },
  };
}
