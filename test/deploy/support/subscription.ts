import { PutRuleCommand, PutTargetsCommand } from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import type { DeliveredEvent } from "../../support/command.ts";
import type { Aws } from "./aws.ts";

export interface Subscription {
  /** Everything that was received so far, in that order, repeats included, but for replays. */
  readonly events: readonly DeliveredEvent[];
  /** What a replay of the archive has sent again. */
  readonly replayed: readonly ReplayedEvent[];
  /** Receives what there is. */
  drain(): Promise<void>;
}

/** The event as it was, and the name of the replay. */
export type ReplayedEvent = DeliveredEvent & { "replay-name": string };

export function isReplayed(event: DeliveredEvent): event is ReplayedEvent {
  return "replay-name" in event;
}

/** Subscribes a queue of its own to a bus by a rule, as a team that reads the events would. */
export async function subscribe(
  { events: bridge, sqs }: Aws,
  bus: string,
  name: string,
  pattern: object,
): Promise<Subscription> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
  const Arn = (await sqs.send(asked)).Attributes?.QueueArn;
  const rule = { EventBusName: bus, Name: name, EventPattern: JSON.stringify(pattern) };
  await bridge.send(new PutRuleCommand(rule));
  const targets = { EventBusName: bus, Rule: name, Targets: [{ Id: "queue", Arn }] };
  await bridge.send(new PutTargetsCommand(targets));

  const events: DeliveredEvent[] = [];
  const replayed: ReplayedEvent[] = [];
  return {
    events,
    replayed,
    async drain() {
      for (;;) {
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
        if (Messages.length === 0) return;
        for (const { Body = "" } of Messages) {
          const event = JSON.parse(Body) as DeliveredEvent;
          if (isReplayed(event)) replayed.push(event);
          else events.push(event);
        }
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
  };
}
