import { Annotations, Duration } from "aws-cdk-lib";
import { type EventPattern, type IEventBus, type IRuleTarget, Rule } from "aws-cdk-lib/aws-events";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { ConfigError, type SourceConfig } from "../../lib/config/index.ts";
import type { EventType } from "../../lib/events/index.ts";
import { acknowledgeDeadLetters } from "../acknowledge.ts";
import { queueEncryption } from "../encryption.ts";
import { eventPattern } from "./event-pattern.ts";

export interface SubscriptionProps {
  bus: IEventBus;
  sources: readonly Pick<SourceConfig, "eventSource">[];
  description: string;
  /** Default: one that CloudFormation makes. */
  ruleName?: string;
  /** Types of events; default `response.completed`. */
  types?: readonly EventType[];
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
  const pattern = eventPattern(props.sources, props);
  checkLength(scope, pattern);
  const rule = new Rule(scope, "Rule", {
    eventBus: props.bus,
    description: props.description,
    ...(props.ruleName === undefined ? {} : { ruleName: props.ruleName }),
    eventPattern: pattern,
  });
  let deadLetters: Queue | undefined;
  // Around the target, whichever it is: all of them state these two the same way, when they are bound.
  rule.addTarget({
    bind(bound, id) {
      const config = props.target.bind(bound, id);
      if (config.deadLetterConfig === undefined)
        deadLetters ??= createDeadLetters(scope, rule.ruleArn, props.encryptionKey);
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
    const message = `makes a pattern of ${length} characters; EventBridge takes 4096`;
    throw new ConfigError([{ path: `${scope.node.id}.where`, message }], {
      hint: "Divide it between several subscriptions.",
    });
  }
  if (length <= 2048) return;
  const notice = `the pattern of ${scope.node.id} has ${length} characters: have the account's quota raised from 2048 first`;
  Annotations.of(scope).addWarningV2("survey-poller:long-pattern", notice);
}

/** Where one rule, and no other, puts what could not be delivered. */
export function createDeadLetters(scope: Construct, ruleArn: string, encryptionKey: IKey | undefined): Queue {
  const queue = new Queue(scope, "DeadLetters", {
    ...queueEncryption(encryptionKey),
    enforceSSL: true,
    // The longest that SQS keeps anything, and no longer than what its events point to in the bucket.
    retentionPeriod: Duration.days(14),
  });
  queue.addToResourcePolicy(
    new PolicyStatement({
      sid: "KeepUndelivered",
      principals: [new ServicePrincipal("events.amazonaws.com")],
      actions: ["sqs:SendMessage"],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { "aws:SourceArn": ruleArn } },
    }),
  );
  acknowledgeDeadLetters(queue);
  return queue;
}
