import { Annotations, type Duration } from "aws-cdk-lib";
import { type EventPattern, type IEventBus, type IRuleTarget, Rule } from "aws-cdk-lib/aws-events";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { ConfigError, type ConfigProblem } from "../../lib/config/index.ts";
import { pathText } from "../../lib/config/parse.ts";
import { DAY, MINUTE } from "../../lib/config/units.ts";
import type { EventType } from "../../lib/events/index.ts";
import { type EventSource, eventPattern } from "../bus.ts";
import { createDeadLetters, takeEvents } from "../queues.ts";
import { checkWhere } from "./check-where.ts";

/** A subscription, as `onResponseCompleted` takes it. */
export interface ResponseCompletedProps {
  /** Types of events; default `response.completed` alone. */
  types?: readonly [EventType, ...EventType[]];
  /** Which of them: a pattern on the detail of an event, held against the contract at synthesis. Default all. */
  where?: Readonly<Record<string, unknown>>;
  /** Any target of aws-cdk-lib/aws-events-targets. A dead-letter queue or retries stated on it hold; else it gets those of here. */
  target: IRuleTarget;
  /** How long and how often a delivery is tried: 1 minute to 24 hours, 0 to 185 times. Default 24 hours and 185 times, which is the most there is. */
  retry?: { maxAge?: Duration; attempts?: number };
  /** Shown beside the rule. */
  description?: string;
}

/** @throws ConfigError that names everything in `where` that no event can match, and what `retry` has wrong */
export function createSubscription(
  scope: Construct,
  id: string,
  { types, where, target, retry, description }: ResponseCompletedProps,
  poller: Pick<SubscriptionProps, "bus" | "sources" | "encryptionKey">,
): Subscription {
  const maxAge = retry?.maxAge?.toMilliseconds() ?? DAY;
  const attempts = retry?.attempts ?? 185;
  const problems: ConfigProblem[] = [];
  const found = (path: string, message: string) => problems.push({ path: `${id}: ${path}`, message });
  for (const { path, message } of where === undefined ? [] : checkWhere(where, types))
    found(pathText(["where", ...path]), message);
  if (maxAge < MINUTE || maxAge > DAY) found("retry.maxAge", "must be 1 minute to 24 hours");
  if (!Number.isInteger(attempts) || attempts < 0 || attempts > 185)
    found("retry.attempts", "must be a whole number from 0 to 185");
  const hint = "docs/events.md shows patterns; for a field that is not in the contract make a Rule on the bus.";
  if (problems.length > 0) throw new ConfigError(problems, { hint });
  return subscribe(new Construct(scope, id), {
    ...poller,
    types,
    where,
    target,
    retry: { maxAge, attempts },
    description: description ?? "Completed survey responses",
  });
}

export interface SubscriptionProps {
  bus: IEventBus;
  sources: readonly EventSource[];
  description: string;
  /** Default: one that CloudFormation makes. */
  ruleName?: string;
  /** Types of events; default `response.completed`. */
  types?: readonly EventType[] | undefined;
  /** A pattern on the event's detail, checked; without it all events. */
  where?: Readonly<Record<string, unknown>> | undefined;
  target: IRuleTarget;
  /** Milliseconds after which EventBridge gives an event up, and how often it tries. */
  retry: { maxAge: number; attempts: number };
  encryptionKey?: IKey | undefined;
}

export interface Subscription {
  rule: Rule;
  /** Events that could not be delivered. Undefined where the target brought a queue of its own. */
  deadLetters: Queue | undefined;
  /** Of a webhook alone: the queue of what is to be delivered, and the function that does it. */
  forwarder?: { queue: Queue; function: LambdaFunction };
}

/** A rule on the bus whose target cannot lose an event: what it does not take in time lies in a queue of this subscription alone. */
export function subscribe(scope: Construct, props: SubscriptionProps): Subscription {
  const { bus, sources, types, where, description, ruleName } = props;
  const pattern = { ...eventPattern(sources, types), ...(where && { detail: where }) };
  checkLength(scope, pattern);
  const rule = new Rule(scope, "Rule", { eventBus: bus, description, ruleName, eventPattern: pattern });
  let deadLetters: Queue | undefined;
  // Around the target, whichever it is: all of them state these two the same way, when they are bound.
  rule.addTarget({
    bind(bound, id) {
      const config = props.target.bind(bound, id);
      if (config.deadLetterConfig === undefined && deadLetters === undefined) {
        deadLetters = createDeadLetters(scope, props.encryptionKey);
        takeEvents(deadLetters, "KeepUndelivered", rule.ruleArn);
      }
      return {
        ...config,
        retryPolicy: config.retryPolicy ?? {
          maximumEventAgeInSeconds: props.retry.maxAge / 1000,
          maximumRetryAttempts: props.retry.attempts,
        },
        deadLetterConfig: config.deadLetterConfig ?? (deadLetters && { arn: deadLetters.queueArn }),
      };
    },
  });
  return { rule, deadLetters };
}

/** EventBridge takes patterns of 4,096 characters at most, and of 2,048 unless AWS has raised the account's quota. */
function checkLength(scope: Construct, { source, detailType, detail }: EventPattern): void {
  const { length } = JSON.stringify({ source, "detail-type": detailType, detail });
  if (length > 4096) {
    const problem = {
      path: `${scope.node.id}.where`,
      message: `makes a pattern of ${length} characters; EventBridge takes 4096`,
    };
    throw new ConfigError([problem], { hint: "Divide it between several subscriptions." });
  }
  if (length <= 2048) return;
  const notice = `the pattern of ${scope.node.id} has ${length} characters: have the account's quota raised from 2048 first`;
  Annotations.of(scope).addWarningV2("survey-poller:long-pattern", notice);
}
