import { Duration, Stack } from "aws-cdk-lib";
import { type PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { EventSourceMapping, type IFunction } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule } from "aws-cdk-lib/aws-scheduler";
import type { IQueue, Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { SourceConfig } from "../lib/config/index.ts";
import { INVOCATION } from "../lib/config/invocation.ts";
import { MINUTE } from "../lib/config/units.ts";
import { arnIn, may, useKey } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";
import { createQueue } from "./queues.ts";
import type { ScopeOf } from "./source-scopes.ts";

// A schedule starts a source's tick each minute at most. Ticks within the minute are started by that one, through a queue of delayed messages.

/** Minutes: a source that is asked once a day is not to be hours late. */
const MOST_WINDOW = 15;

interface SchedulesProps {
  sources: readonly SourceConfig[];
  target: IFunction;
  deadLetters: IQueue;
  encryptionKey?: IKey | undefined;
  scopeOf: ScopeOf;
}

/** One schedule for each source, whose name is the invocation's input. A source that is not enabled keeps a disabled one. */
export function createSchedules(scope: Construct, props: SchedulesProps): void {
  const { sources, scopeOf, target, deadLetters } = props;
  const role = createRole(scope, props);
  for (const source of sources) {
    const minutes = Math.max(1, source.interval / MINUTE);
    const schedule = new CfnSchedule(scopeOf(source.name, scope), `Schedule-${source.name}`, {
      description: `Polls the survey service, source ${source.name}`,
      state: source.enabled ? "ENABLED" : "DISABLED",
      scheduleExpression: `rate(${minutes} ${minutes === 1 ? "minute" : "minutes"})`,
      flexibleTimeWindow: windowOf(source, sources.length),
      target: {
        arn: target.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ source: source.name, scheduled: true }),
        deadLetterConfig: { arn: deadLetters.queueArn },
        // The default, 185 retries over 24 hours, would pile old ticks up on the service once it is back.
        retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 1 },
      },
    });
    // Without its policy the first ticks after a deployment would be refused.
    schedule.node.addDependency(role);
  }
}

/**
 * Ticks of several sources come at any time within a fifth of their interval, so that not all of them ask for an execution at once. A window
 * is whole minutes: an interval below five has none.
 */
function windowOf({ interval }: SourceConfig, sources: number): CfnSchedule.FlexibleTimeWindowProperty {
  const minutes = Math.min(MOST_WINDOW, Math.floor(interval / MINUTE / 5));
  return sources > 1 && minutes > 0 ? { mode: "FLEXIBLE", maximumWindowInMinutes: minutes } : { mode: "OFF" };
}

function createRole(scope: Construct, { target, deadLetters, encryptionKey }: SchedulesProps): Role {
  const { account } = Stack.of(scope);
  const group = arnIn(scope, "scheduler", "schedule-group/default");
  const role = new Role(scope, "ScheduleRole", {
    // Without the conditions a schedule in somebody else's account could be given this role.
    assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
      conditions: { StringEquals: { "aws:SourceAccount": account, "aws:SourceArn": group } },
    }),
    description: "What the survey poller's schedules may do",
  });
  for (const statement of [
    may("StartTick", ["lambda:InvokeFunction"], target.functionArn),
    may("ReportFailures", ["sqs:SendMessage"], deadLetters.queueArn),
    ...useKey("EncryptFailures", encryptionKey, "send-messages"),
  ])
    role.addToPolicy(statement);
  return role;
}

const NOT_KEPT = "A tick that does not run, or fails, is not kept: the next one does its work.";

/** The queue of delayed messages by which the function starts the ticks within a minute. Undefined where no source has any. */
export function createTickQueue(
  scope: Construct,
  sources: readonly Pick<SourceConfig, "enabled" | "interval">[],
  encryptionKey: IKey | undefined,
): Queue | undefined {
  if (!sources.some(({ enabled, interval }) => enabled && interval < MINUTE)) return undefined;
  const queue = createQueue(scope, "Ticks", encryptionKey, {
    // A message is of use within its minute alone. SQS keeps none for less.
    retentionPeriod: Duration.minutes(1),
    // Lambda takes no queue that shows a message again before its invocation can be over. By then it is gone.
    visibilityTimeout: Duration.millis(INVOCATION),
  });
  for (const id of ["AwsSolutions-SQS3", "Serverless-SQSRedrivePolicy"])
    acknowledgeFinding(queue, { id, reason: NOT_KEPT });
  return queue;
}

/** What the function may do with the queue: send to it, and have Lambda receive from it in the function's name. */
export function tickStatements(queue: IQueue | undefined): PolicyStatement[] {
  if (queue === undefined) return [];
  const actions = ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
  return [may("TickWithinMinute", actions, queue.queueArn)];
}

/** Lets each message start an invocation of its own. Lambda begins with about five at once: with many sources the last ticks of a minute may be lost. */
export function startTicks(scope: Construct, queue: IQueue | undefined, target: IFunction): void {
  if (queue === undefined) return;
  const settings = { target, eventSourceArn: queue.queueArn, batchSize: 1 };
  const mapping = new EventSourceMapping(scope, "TicksMapping", settings);
  acknowledgeFinding(mapping, { id: "Serverless-LambdaEventSourceMappingDestination", reason: NOT_KEPT });
}
