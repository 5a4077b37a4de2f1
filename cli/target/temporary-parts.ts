import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SQSClient } from "@aws-sdk/client-sqs";
import { errorCode } from "../../lib/errors.ts";
import type { Target } from "./target.ts";

// What a temporary rule and its queue are made of.

/** The ARN of the queue of this name in the account and region of a rule. */
export function queueArnBeside(ruleArn: string, name: string): string {
  const [, partition = "aws", , region = "", account = ""] = ruleArn.split(":");
  return `arn:${partition}:sqs:${region}:${account}:${name}`;
}

/** Only this rule may send. */
export function policyFor(queueArn: string, ruleArn: string): string {
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
export function clientsOf(target: Target): { events: EventBridgeClient; sqs: SQSClient } & Disposable {
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

export function isMissing(error: unknown): boolean {
  return /ResourceNotFound|QueueDoesNotExist|NonExistentQueue/.test(errorCode(error));
}
