import { Annotations, Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type Dashboard, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Config } from "../../lib/config/index.ts";
import { arnIn, letService } from "../encryption.ts";
import type { ScopeOf } from "../source-scopes.ts";
import { type AlarmDefinition, deadLetterAlarm, sourceAlarms, tickWindow, webhookAlarm } from "./alarms.ts";
import { createDashboard, type DashboardProps, dashboardUrl } from "./dashboard.ts";

interface MonitoringProps extends Pick<DashboardProps, "owner" | "pollFunction" | "memory" | "table"> {
  config: Pick<Config, "sources" | "monitoring">;
  /** The poller's own dead-letter queue; those of subscriptions are added by `watchDeadLetters`. */
  deadLetters: IQueue;
  /** Where alarms are told. Default: a topic of the poller's own. */
  alarmTopic?: ITopic | undefined;
  /** Of a topic of the poller's own. Its policy must let CloudWatch use it. */
  encryptionKey?: IKey | undefined;
  /** Where the alarms of a source stand; those of all sources stand beside the topic. */
  scopeOf: ScopeOf;
}

/** CloudWatch shows no more alarms in one widget. */
const MOST_SHOWN = 100;

/** Alarms on what a person must see to, the topic that tells them, and the dashboard. A source that is not enabled has no alarms. */
export class Monitoring extends Construct {
  /** Undefined without alarms. */
  readonly topic: ITopic | undefined;
  readonly alarms: Alarm[] = [];
  /** Undefined without a dashboard. */
  readonly dashboard: Dashboard | undefined;
  readonly dashboardUrl: string | undefined;
  /** On the dashboard, those that come after it as well. */
  readonly #shown: Alarm[] = [];
  readonly #runbook: string;
  readonly #deployment: string;

  constructor(scope: Construct, props: MonitoringProps) {
    super(scope, "Monitoring");
    const { config, owner, pollFunction, memory, table, deadLetters, encryptionKey, scopeOf } = props;
    const { alarms: withAlarms, dashboard: withDashboard, lagThreshold, runbook, email } = config.monitoring;
    this.#runbook = runbook;
    this.#deployment = owner.deployment;
    this.topic = withAlarms ? (props.alarmTopic ?? createAlarmTopic(this, encryptionKey)) : undefined;
    if (this.topic !== undefined && email !== undefined) this.topic.addSubscription(new EmailSubscription(email));
    for (const source of config.sources.filter(({ enabled }) => enabled)) {
      const subject = `Source ${source.name}`;
      for (const one of sourceAlarms(owner, source, lagThreshold))
        this.#add(`Alarm-${source.name}-${one.id}`, subject, one, scopeOf(source.name, this));
      if (withAlarms && tickWindow(source.interval) === undefined) {
        const line = `source "${source.name}": its interval is longer than an alarm looks back, so none tells when its ticks stop.`;
        Annotations.of(this).addWarningV2("survey-poller:no-tick-alarm", line);
      }
    }
    this.watchDeadLetters("DeadLetters", deadLetters, "the poller");
    if (!withDashboard) return;
    const shown = { owner, alarms: this.#shown, pollFunction, memory, table, lagThreshold, runbook };
    this.dashboard = createDashboard(this, shown);
    this.dashboardUrl = dashboardUrl(this, owner.deployment);
  }

  /** An alarm on a dead-letter queue, as long as there are alarms at all. `of` is whose it is, for the mail, such as "webhook crm". */
  watchDeadLetters(id: string, queue: IQueue, of: string): void {
    this.#add(`Alarm-${id}`, "Dead letters", deadLetterAlarm(queue, of));
  }

  /** An alarm on a webhook whose endpoint takes nothing, as long as there are alarms at all. */
  watchWebhook(name: string): void {
    this.#add(`Alarm-Webhook-${name}-Stalled`, `Webhook ${name}`, webhookAlarm(this.#deployment, name));
  }

  #add(id: string, subject: string, definition: AlarmDefinition, within: Construct = this): void {
    if (this.topic === undefined) return;
    const { what, section, metric, window, breaching = window.periods } = definition;
    const alarm = new Alarm(within, id, {
      alarmDescription: `${subject}: ${what} What to do: ${this.#runbook}#${section}`,
      metric: metric.with({ period: window.period }),
      evaluationPeriods: window.periods,
      datapointsToAlarm: Math.min(breaching, window.periods),
      comparisonOperator: definition.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: definition.threshold ?? 1,
      treatMissingData: definition.missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    if (definition.tellsOk !== false) alarm.addOkAction(new SnsAction(this.topic));
    this.alarms.push(alarm);
    // Those of nested stacks could be brought there only by an output for each.
    if (within === this && this.#shown.length < MOST_SHOWN) this.#shown.push(alarm);
  }
}

/** Where alarms are told. Only this account's alarms may publish, and only over TLS. */
function createAlarmTopic(scope: Construct, encryptionKey?: IKey): Topic {
  // The key that AWS manages for SNS would shut CloudWatch out: its policy cannot be changed.
  const settings = { displayName: "Survey poller alarms", enforceSSL: true, masterKey: encryptionKey };
  const topic = new Topic(scope, "AlarmTopic", settings);
  // A policy of its own takes the place of the default one, by which CloudWatch could publish.
  topic.addToResourcePolicy(
    letService("cloudwatch.amazonaws.com", {
      sid: "TellAlarms",
      actions: ["sns:Publish"],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { "aws:SourceAccount": Stack.of(scope).account },
        ArnLike: { "aws:SourceArn": arnIn(scope, "cloudwatch", "alarm:*") },
      },
    }),
  );
  return topic;
}
