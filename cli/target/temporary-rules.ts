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
import { errorCode } from "../../lib/errors.ts";
import { CommandError } from "../errors.ts";
import type { Target } from "./target.ts";

// What a temporary rule and its queue are made of.

/** The ARN of the queue of this name in the account and region of a rule. */
function queueArnBeside(ruleArn: string, name: string): string {
  const [, partition = "aws", , region = "", account = ""] = ruleArn.split(":");
  return `arn:${partition}:sqs:${region}:${account}:${name}`;
}

/** Only this rule may send. */
function policyFor(queueArn: string, ruleArn: string): string {
  const statement = {
    Sid: "OnlyThisRule",
    Effect: "Allow",
    Principal: { Service: "events.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: queueArn,
    Condition: { ArnEquals: { "aws:SourceArn": ruleArn } },
  };
  return JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
}

/** Clients of their own: making rules is throttled, and those of the function try once. */
function clientsOf(target: Target): { events: EventBridgeClient; sqs: SQSClient } & Disposable {
  const events = new EventBridgeClient({ ...target.client("eventbridge"), maxAttempts: 5 });
  const sqs = new SQSClient({ ...target.client("sqs"), maxAttempts: 5 });
  return {
    events,
    sqs,
    [Symbol.dispose]() {
      events.destroy();
      sqs.destroy();
    },
  };
}

function isMissing(error: unknown): boolean {
  return /ResourceNotFound|QueueDoesNotExist|NonExistentQueue/.test(errorCode(error));
}

/** How the name of each begins. */
export const TEMPORARY = "survey-poller-tail-";
const NAME = /^survey-poller-tail-[0-9a-f]+-(\d+)$/;
/** Seconds that SQS keeps what nobody takes: what is left of a killed command gathers no more than the events of so long. */
export const KEPT_UNHEARD = 300;
/** Tag of the queue, with the epoch second to which its time was prolonged. */
const EXPIRES = "survey-poller:expires";

/** Milliseconds for which a rule and its queue stay without being prolonged. */
export const LIFETIME = 900_000;

/** A rule on the bus and the queue it sends to, both of this name. */
interface TemporaryRule {
  name: string;
  queueUrl: string;
}

/**
 * Makes a rule and its queue. Their name ends in the epoch second after which `sweepExpired` may take them away, unless they are prolonged.
 *
 * @param pattern an event pattern of EventBridge
 * @param now epoch milliseconds
 */
export async function makeTemporaryRule(
  target: Target,
  { pattern, now }: { pattern: object; now: number },
): Promise<TemporaryRule> {
  const expiresAt = now + LIFETIME;
  const name = `${prefixOf(target)}${randomUUID().slice(0, 8)}-${Math.ceil(expiresAt / 1000)}`;
  const EventBusName = target.resources.busName;
  using clients = clientsOf(target);
  try {
    const rule = await clients.events.send(
      new PutRuleCommand({
        Name: name,
        EventBusName,
        EventPattern: JSON.stringify(pattern),
        Description: "Of survey-poller tail or listen, which removes it; survey-poller doctor removes what was left",
      }),
    );
    const ruleArn = rule.RuleArn ?? "";
    const queueArn = queueArnBeside(ruleArn, name);
    const { QueueUrl = "" } = await clients.sqs.send(
      new CreateQueueCommand({
        QueueName: name,
        Attributes: { MessageRetentionPeriod: String(KEPT_UNHEARD), Policy: policyFor(queueArn, ruleArn) },
      }),
    );
    const put = await clients.events.send(
      new PutTargetsCommand({ Rule: name, EventBusName, Targets: [{ Id: "queue", Arn: queueArn }] }),
    );
    const [failed] = put.FailedEntries ?? [];
    if (failed !== undefined) {
      throw new CommandError("RULE_FAILED", `the rule cannot send to its queue (${failed.ErrorCode})`, {
        hint: "Try again.",
      });
    }
    return { name, queueUrl: QueueUrl };
  } catch (error) {
    await removeTemporaryRule(target, name).catch(() => undefined);
    throw error;
  }
}

/** Keeps the rule and its queue for another lifetime. */
export async function prolong(target: Target, { queueUrl }: TemporaryRule, now: number): Promise<void> {
  using clients = clientsOf(target);
  const Tags = { [EXPIRES]: `${Math.ceil((now + LIFETIME) / 1000)}` };
  await clients.sqs.send(new TagQueueCommand({ QueueUrl: queueUrl, Tags }));
}

/**
 * Takes away the rule and the queue of this name, as far as they are there.
 *
 * @throws what the first step failed with that did, after all steps have been tried
 */
export async function removeTemporaryRule(target: Target, name: string): Promise<void> {
  using clients = clientsOf(target);
  const EventBusName = target.resources.busName;
  const failures: unknown[] = [];
  const attempt = (step: Promise<unknown>): Promise<unknown> =>
    step.catch((error: unknown) => isMissing(error) || failures.push(error));
  const removeRule = async (): Promise<void> => {
    const { Targets = [] } = await clients.events.send(new ListTargetsByRuleCommand({ Rule: name, EventBusName }));
    const Ids = Targets.flatMap(({ Id }) => Id ?? []);
    if (Ids.length > 0) await clients.events.send(new RemoveTargetsCommand({ Rule: name, EventBusName, Ids }));
    await clients.events.send(new DeleteRuleCommand({ Name: name, EventBusName }));
  };
  const removeQueue = async (): Promise<void> => {
    const { QueueUrl } = await clients.sqs.send(new GetQueueUrlCommand({ QueueName: name }));
    await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
  };
  // The rule first: what it would send to a queue that is gone would be a failed delivery.
  await attempt(removeRule());
  await attempt(removeQueue());
  if (failures.length > 0) throw failures[0];
}

/**
 * Takes away what commands have left on the bus that were killed, once its time is over.
 *
 * @param now epoch milliseconds
 * @returns names of the rules and queues that are gone
 */
export async function sweepExpired(target: Target, now: number = Date.now()): Promise<string[]> {
  using clients = clientsOf(target);
  const names = new Set<string>();
  let from: string | undefined;
  do {
    const answer = await clients.events.send(
      new ListRulesCommand({ EventBusName: target.resources.busName, NamePrefix: TEMPORARY, NextToken: from }),
    );
    for (const { Name = "" } of answer.Rules ?? []) names.add(Name);
    from = answer.NextToken;
  } while (from !== undefined);
  // A queue whose rule is gone. Those of other buses have another prefix.
  const queues = await clients.sqs.send(
    new ListQueuesCommand({ QueueNamePrefix: prefixOf(target), MaxResults: 1_000 }),
  );
  for (const url of queues.QueueUrls ?? []) names.add(url.slice(url.lastIndexOf("/") + 1));
  const gone: string[] = [];
  for (const name of names) {
    const isOver = (second: string | undefined): boolean => Number(second ?? Infinity) * 1_000 < now;
    if (!isOver(NAME.exec(name)?.[1]) || !isOver((await prolongedTo(clients.sqs, name)) ?? "0")) continue;
    await removeTemporaryRule(target, name);
    gone.push(name);
  }
  return gone;
}

async function prolongedTo(sqs: SQSClient, name: string): Promise<string | undefined> {
  try {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: name }));
    return (await sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags?.[EXPIRES];
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Rules lie on a bus, queues do not: a few digits of the bus's name tell them apart. */
function prefixOf({ resources }: Target): string {
  return `${TEMPORARY}${hash("sha256", resources.busName, "hex").slice(0, 6)}`;
}
