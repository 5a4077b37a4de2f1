import { Annotations, Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type Dashboard, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Config } from "../../lib/config/index.ts";
import { createAlarmTopic } from "./alarm-topic.ts";
import { createDashboard } from "./dashboard.ts";
import { dashboardUrl } from "./dashboard-url.ts";
import { type AlarmDefinition, sourceAlarms } from "./source-alarms.ts";
import type { MetricsOwner } from "./source-metrics.ts";
import { webhookAlarm } from "./webhook-alarm.ts";
import { tickWindow } from "./window.ts";

export interface MonitoringProps {
  config: Pick<Config, "sources" | "monitoring">;
  owner: MetricsOwner;
  pollFunction: LambdaFunction;
  /** MB of the function. */
  memory: number;
  table: ITable;
  /** The poller's own dead-letter queue; those of subscriptions are added by `watchDeadLetters`. */
  deadLetters: IQueue;
  /** Where alarms are told. Default: a topic of the poller's own. */
  alarmTopic?: ITopic | undefined;
  /** Of a topic of the poller's own. Its policy must let CloudWatch use it. */
  encryptionKey?: IKey | undefined;
}

export interface Monitoring {
  /** Undefined without alarms. */
  topic: ITopic | undefined;
  alarms: readonly Alarm[];
  /** Undefined without a dashboard. */
  dashboard: Dashboard | undefined;
  dashboardUrl: string | undefined;
  /**
   * An alarm on a dead-letter queue, as long as there are alarms at all.
   *
   * @param of whose it is, for the mail, such as "webhook crm"
   */
  watchDeadLetters(id: string, queue: IQueue, of: string): void;
  /** An alarm on a webhook whose endpoint takes nothing, as long as there are alarms at all. */
  watchWebhook(name: string): void;
}

/** Alarms on what a person must see to, the topic that tells them, and the dashboard. A source that is not enabled has no alarms. */
export function createMonitoring(parent: Construct, props: MonitoringProps): Monitoring {
  const scope = new Construct(parent, "Monitoring");
  const { config, owner, pollFunction, memory, table, deadLetters, encryptionKey } = props;
  const { alarms: withAlarms, dashboard: withDashboard, lagThreshold, runbook, email } = config.monitoring;
  const topic = withAlarms ? (props.alarmTopic ?? createAlarmTopic(scope, encryptionKey)) : undefined;
  if (topic !== undefined && email !== undefined) topic.addSubscription(new EmailSubscription(email));
  const alarms: Alarm[] = [];
  const add = (id: string, subject: string, definition: AlarmDefinition): void => {
    if (topic !== undefined) alarms.push(createAlarm(scope, id, subject, definition, topic, runbook));
  };
  const watchDeadLetters: Monitoring["watchDeadLetters"] = (id, queue, of) =>
    add(`Alarm-${id}`, "Dead letters", deadLetterAlarm(queue, of));

  const watchWebhook: Monitoring["watchWebhook"] = (name) => {
    const alarm = webhookAlarm(owner.deployment, name);
    add(`Alarm-Webhook-${name}-${alarm.id}`, `Webhook ${name}`, alarm);
  };

  for (const source of config.sources.filter(({ enabled }) => enabled)) {
    const subject = `Source ${source.name}`;
    for (const one of sourceAlarms(owner, source, lagThreshold)) add(`Alarm-${source.name}-${one.id}`, subject, one);
    if (withAlarms && tickWindow(source.interval) === undefined) warnOfInterval(scope, source.name);
  }
  watchDeadLetters("DeadLetters", deadLetters, "the poller");
  const dashboard = withDashboard
    ? createDashboard(scope, { owner, alarms, pollFunction, memory, table, lagThreshold, runbook })
    : undefined;
  return {
    topic,
    alarms,
    dashboard,
    dashboardUrl: dashboard === undefined ? undefined : dashboardUrl(scope, owner.deployment),
    watchDeadLetters,
    watchWebhook,
  };
}

function createAlarm(
  scope: Construct,
  id: string,
  subject: string,
  { what, section, metric, window, breaching, comparison, threshold, missing, tellsOk }: AlarmDefinition,
  topic: ITopic,
  runbook: string,
): Alarm {
  const alarm = new Alarm(scope, id, {
    alarmDescription: `${subject}: ${what} What to do: ${runbook}#${section}`,
    metric: metric.with({ period: window.period }),
    evaluationPeriods: window.periods,
    datapointsToAlarm: Math.min(breaching ?? window.periods, window.periods),
    comparisonOperator: comparison,
    threshold,
    treatMissingData: missing,
  });
  const tell = new SnsAction(topic);
  alarm.addAlarmAction(tell);
  if (tellsOk) alarm.addOkAction(tell);
  return alarm;
}

function deadLetterAlarm(queue: IQueue, of: string): AlarmDefinition {
  return {
    id: "DeadLetters",
    what: `the queue of ${of} holds some.`,
    section: "dead-letters",
    metric: queue.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum" }),
    window: { period: Duration.minutes(5), periods: 1 },
    comparison: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    threshold: 1,
    // A queue that has been empty for six hours tells nothing.
    missing: TreatMissingData.NOT_BREACHING,
    tellsOk: true,
  };
}

function warnOfInterval(scope: Construct, source: string): void {
  Annotations.of(scope).addWarningV2(
    "survey-poller:no-tick-alarm",
    `source "${source}": its interval is longer than an alarm looks back, so none tells when its ticks stop.`,
  );
}
