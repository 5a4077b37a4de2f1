import { hash, randomUUID } from "node:crypto";
import {
  DeleteRuleCommand,
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  SQSClient,
  TagQueueCommand,
} from "@aws-sdk/client-sqs";
import { errorCode } from "../../errors.ts";
import { CommandError } from "../errors.ts";
import { closing } from "../target/aws-failure.ts";
import type { Target } from "../target/target.ts";

export const TEMPORARY = "survey-poller-tail-";
const NAME = /^survey-poller-tail-[0-9a-f]+-(\d+)$/;
/** Seconds that SQS keeps what nobody takes: what is left of a killed command gathers no more than the events of so long. */
export const KEPT_UNHEARD = 300;
/** Tag of the queue, with the epoch second to which its time was prolonged. */
const EXPIRES = "survey-poller:expires";

/** Milliseconds for which a rule and its queue stay without being prolonged. */
export const LIFETIME = 900_000;

/** The bus, and clients of their own: making rules is throttled, and those of the function try once. */
async function onBus<T>(
  target: Target,
  work: (on: { events: EventBridgeClient; sqs: SQSClient; EventBusName: string }) => Promise<T>,
): Promise<T> {
  using events = closing(new EventBridgeClient({ ...target.client("eventbridge"), maxAttempts: 5 }));
  using sqs = closing(new SQSClient({ ...target.client("sqs"), maxAttempts: 5 }));
  return await work({ events, sqs, EventBusName: target.resources.busName });
}

/**
 * Makes a rule and its queue. Their name ends in the epoch second after which `sweepExpired` may take them away, unless they are prolonged.
 *
 * @param pattern an event pattern of EventBridge
 * @param now epoch milliseconds
 */
export function makeTemporaryRule(target: Target, { pattern, now }: { pattern: object; now: number }) {
  const name = `${prefixOf(target)}${randomUUID().slice(0, 8)}-${Math.ceil((now + LIFETIME) / 1000)}`;
  return onBus(target, async ({ events, sqs, EventBusName }) => {
    const Description = "Of survey-poller tail or listen, which removes it; survey-poller doctor removes what was left";
    try {
      const rule = { Name: name, EventBusName, EventPattern: JSON.stringify(pattern), Description };
      const { RuleArn = "" } = await events.send(new PutRuleCommand(rule));
      const [, partition = "aws", , region = "", account = ""] = RuleArn.split(":");
      const queueArn = `arn:${partition}:sqs:${region}:${account}:${name}`;
      const onlyThisRule = {
        ...{ Sid: "OnlyThisRule", Effect: "Allow", Principal: { Service: "events.amazonaws.com" } },
        ...{ Action: "sqs:SendMessage", Resource: queueArn },
        Condition: { ArnEquals: { "aws:SourceArn": RuleArn } },
      };
      const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [onlyThisRule] });
      const Attributes = { MessageRetentionPeriod: String(KEPT_UNHEARD), Policy };
      const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
      const Targets = [{ Id: "queue", Arn: queueArn }];
      const put = await events.send(new PutTargetsCommand({ Rule: name, EventBusName, Targets }));
      const [failed] = put.FailedEntries ?? [];
      if (failed === undefined) return { name, queueUrl: QueueUrl };
      const message = `the rule cannot send to its queue (${failed.ErrorCode})`;
      throw new CommandError("RULE_FAILED", message, { hint: "Try again." });
    } catch (error) {
      await removeTemporaryRule(target, name).catch(() => undefined);
      throw error;
    }
  });
}

export async function prolong(target: Target, QueueUrl: string, now: number): Promise<void> {
  const Tags = { [EXPIRES]: `${Math.ceil((now + LIFETIME) / 1000)}` };
  await onBus(target, ({ sqs }) => sqs.send(new TagQueueCommand({ QueueUrl, Tags })));
}

/**
 * Takes away the rule and the queue of this name, as far as they are there. The rule goes first: what it would send to a queue that is gone would be a
 * failed delivery. Where it cannot go, the queue goes all the same.
 */
export function removeTemporaryRule(target: Target, name: string): Promise<void> {
  return onBus(target, async ({ events, sqs, EventBusName }) => {
    const of = { Rule: name, EventBusName };
    try {
      await unlessMissing(async () => {
        const { Targets = [] } = await events.send(new ListTargetsByRuleCommand(of));
        const Ids = Targets.flatMap(({ Id }) => Id ?? []);
        if (Ids.length > 0) await events.send(new RemoveTargetsCommand({ ...of, Ids }));
        await events.send(new DeleteRuleCommand({ Name: name, EventBusName }));
      });
    } finally {
      await unlessMissing(async () => {
        const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
        await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      });
    }
  });
}

/** Undefined where what a step is about is not there. */
async function unlessMissing<T>(step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (/ResourceNotFound|QueueDoesNotExist|NonExistentQueue/.test(errorCode(error))) return undefined;
    throw error;
  }
}

/**
 * Takes away what commands have left on the bus that were killed, once its time is over.
 *
 * @param now epoch milliseconds
 * @returns names of the rules and queues that are gone
 */
export function sweepExpired(target: Target, now: number): Promise<string[]> {
  return onBus(target, async ({ events, sqs, EventBusName }) => {
    const names = new Set<string>();
    let NextToken: string | undefined;
    do {
      const rules = await events.send(new ListRulesCommand({ EventBusName, NamePrefix: TEMPORARY, NextToken }));
      for (const { Name = "" } of rules.Rules ?? []) names.add(Name);
      NextToken = rules.NextToken;
    } while (NextToken !== undefined);
    // A queue whose rule is gone. Those of other buses have another prefix.
    const queues = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: prefixOf(target), MaxResults: 1_000 }));
    for (const url of queues.QueueUrls ?? []) names.add(url.slice(url.lastIndexOf("/") + 1));
    const gone: string[] = [];
    for (const name of names) {
      const isOver = (second: string | undefined): boolean => Number(second ?? Infinity) * 1_000 < now;
      const prolongedTo = await unlessMissing(async () => {
        const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
        return (await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags?.[EXPIRES];
      });
      if (!isOver(NAME.exec(name)?.[1]) || !isOver(prolongedTo ?? "0")) continue;
      await removeTemporaryRule(target, name);
      gone.push(name);
    }
    return gone;
  });
}

/** Rules lie on a bus, queues do not: a few digits of the bus's name tell them apart. */
function prefixOf({ resources }: Target): string {
  return `${TEMPORARY}${hash("sha256", resources.busName, "hex").slice(0, 6)}`;
}
