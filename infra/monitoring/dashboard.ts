import { Aws, CfnCondition, Duration, Fn, Stack, Token } from "aws-cdk-lib";
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type GraphWidgetProps,
  type IAlarm,
  type IMetric,
  MathExpression,
  Metric,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { RegionInfo } from "aws-cdk-lib/region-info";
import type { Construct } from "constructs";
import { isWritten, type MetricKey, metrics } from "../../lib/monitoring/catalog.ts";
import { PRICES } from "../prices.ts";
import { areMany } from "../source-scopes.ts";
import { type MetricsOwner, searchedMetric, sourceMetric } from "./metrics.ts";

export interface DashboardProps {
  owner: MetricsOwner;
  /** Shown as they are at synthesis, also those that come later. */
  alarms: readonly IAlarm[];
  pollFunction: IFunction & { readonly logGroup: ILogGroup };
  /** MB of the function. */
  memory: number;
  table: ITable;
  lagThreshold: number;
  runbook: string;
}

const WIDTH = 24;
const THIRD = WIDTH / 3;
const HEIGHT = 6;
const DAYS = 30;
const MILLION = 1_000_000;
const GB = 1024 ** 3;

/** One dashboard for all sources: is it well, how late are we, what does it cost. */
export function createDashboard(scope: Construct, props: DashboardProps): Dashboard {
  const { owner, alarms, lagThreshold, runbook } = props;
  const all = (key: MetricKey, statistic: string, period: Duration): IMetric[] => {
    if (areMany(owner.sources)) return [searchedMetric(owner, key, statistic, period)];
    return owner.sources.map(({ name: source }) =>
      sourceMetric(owner, key, statistic, { source, period, label: `${source} ${key} ${statistic}` }),
    );
  };
  const fine = Duration.minutes(5);
  const inFull = (key: MetricKey, statistic: string): IMetric[] =>
    isWritten(metrics[key], owner.level) ? all(key, statistic, fine) : [];
  const isFull = owner.level === "full";
  const requests = (["requests", "requestsThrottled", "requestsFailed"] as const).flatMap((key) => inFull(key, "Sum"));
  return new Dashboard(scope, "Dashboard", {
    dashboardName: owner.deployment,
    defaultInterval: Duration.days(1),
    widgets: [
      [heading(`# Is it well?\nWhat each alarm means and what to do: \`${runbook}\``)],
      [
        new AlarmStatusWidget({ width: THIRD, height: HEIGHT, title: "Alarms", alarms: alarms as IAlarm[] }),
        graph(THIRD, "Ticks that came to their end, in 5 minutes", all("credentialsProblem", "SampleCount", fine)),
        graph(
          THIRD,
          "Trouble: counts, and milliseconds that something stands still",
          [...all("withheld", "Sum", fine), ...all("throttled", "Sum", fine), ...inFull("surveysFailed", "Maximum")],
          { right: all("stalled", "Maximum", fine), rightYAxis: FROM_ZERO },
        ),
      ],
      [heading("# How late are we?")],
      [
        graph(
          WIDTH / 2,
          "Milliseconds from completion to event: half of them, and the slowest",
          [...all("detectionLag", "p50", fine), ...all("detectionLag", "Maximum", fine)],
          { leftAnnotations: [{ value: lagThreshold, label: "alarm, for p50" }] },
        ),
        graph(WIDTH / 2, "Events, in 5 minutes", [...all("emitted", "Sum", fine), ...inFull("waiting", "Sum")], {
          right: inFull("behind", "Maximum"),
        }),
      ],
      [
        heading(
          "# What does it cost?\nDollars a month at the rate of each day, by the list prices of us-east-1. Secrets, metrics, alarms and this dashboard cost the same each month: `docs/cost.md`",
        ),
      ],
      [
        graph(isFull ? THIRD * 2 : WIDTH, "Dollars a month", costs(props), { stacked: true }),
        ...(isFull ? [graph(THIRD, "Requests to the service, in 5 minutes", requests)] : []),
      ],
    ],
  });
}

const FROM_ZERO = { min: 0, showUnits: false };

function graph(width: number, title: string, left: IMetric[], more: GraphWidgetProps = {}): GraphWidget {
  return new GraphWidget({ width, height: HEIGHT, title, left, leftYAxis: FROM_ZERO, ...more });
}

function heading(markdown: string): TextWidget {
  return new TextWidget({ markdown, width: WIDTH, height: 2 });
}

/** All of AWS's own metrics, which cost nothing, and the events. */
function costs({ owner, pollFunction, memory, table }: DashboardProps): IMetric[] {
  const period = Duration.days(1);
  const perMonth = (label: string, price: number, parts: IMetric[]): MathExpression => {
    const id = label.toLowerCase().replaceAll(/[^a-z]/g, "");
    const usingMetrics = Object.fromEntries(parts.map((part, i) => [`${id}${i}`, part]));
    const sum = parts.map((_, i) => `FILL(${id}${i}, 0)`).join(" + ");
    // Without an exponent, which CloudWatch would take for the name of a metric.
    const factor = (price * DAYS).toFixed(15).replace(/0+$/, "");
    return new MathExpression({ label, period, usingMetrics, expression: `(${sum}) * ${factor}` });
  };
  const daily = { statistic: "Sum", period };
  const ofTable = (metricName: string): Metric =>
    new Metric({ ...daily, namespace: "AWS/DynamoDB", metricName, dimensionsMap: { TableName: table.tableName } });
  const dimensionsMap = { LogGroupName: pollFunction.logGroup.logGroupName };
  const logBytes = new Metric({ ...daily, namespace: "AWS/Logs", metricName: "IncomingBytes", dimensionsMap });
  const duration = pollFunction.metricDuration(daily);
  const invocations = pollFunction.metricInvocations(daily);
  const events = areMany(owner.sources)
    ? [searchedMetric(owner, "emitted", "Sum", period, true)]
    : owner.sources.map(({ name: source }) => sourceMetric(owner, "emitted", "Sum", { source, period }));
  return [
    perMonth("Table writes", PRICES.writeUnits / MILLION, [ofTable("ConsumedWriteCapacityUnits")]),
    perMonth("Table reads", PRICES.readUnits / MILLION, [ofTable("ConsumedReadCapacityUnits")]),
    perMonth("Lambda time", (PRICES.gbSeconds * memory) / 1024 / 1000, [duration]),
    perMonth("Invocations", PRICES.invocations / MILLION, [invocations]),
    perMonth("Events", PRICES.events / MILLION, events),
    perMonth("Logs", PRICES.logs / GB, [logBytes]),
  ];
}

/** Consoles that are somewhere else than the usual one, by partition. */
const CONSOLES: Record<string, string> = {
  "aws-cn": "console.amazonaws.cn",
  "aws-us-gov": "console.amazonaws-us-gov.com",
  "aws-eusc": "console.amazonaws-eusc.eu",
};
const USUAL = "console.aws.amazon.com";

/** Address of a dashboard in the console, also where the region is known at the deployment only. */
export function dashboardUrl(scope: Construct, name: string): string {
  const { region } = Stack.of(scope);
  const host = Token.isUnresolved(region)
    ? consoleAtDeployment(scope)
    : (CONSOLES[RegionInfo.get(region).partition ?? ""] ?? USUAL);
  return `https://${host}/cloudwatch/home?region=${region}#dashboards/dashboard/${name}`;
}

function consoleAtDeployment(scope: Construct): string {
  return Object.entries(CONSOLES).reduce((otherwise, [partition, host]) => {
    const id = `Is${partition.replaceAll(/[^a-z]/g, "")}`;
    const condition = new CfnCondition(scope, id, { expression: Fn.conditionEquals(Aws.PARTITION, partition) });
    return Fn.conditionIf(condition.logicalId, host, otherwise).toString();
  }, USUAL);
}
