import { DEFAULT_MEMORY, PRICES } from "../../../infra/prices.ts";
import { type MonitoringLevel, writtenBy } from "../../../lib/monitoring/catalog.ts";

/** Of a month of 30 days, one a minute. */
export const TICKS = 30 * 24 * 60;
export const MILLION = 1_000_000;
export const GB = 1024 ** 3;

/** What all resources of a type cost in a month in which nothing happens, dollars. */
export interface Price {
  what: string;
  count: number;
  dollars: number;
  /** The same where the account's free tier is used for nothing else. What is free for the first months only is not counted as free. */
  withFreeTier: number;
  /** What is paid for. */
  counted: string;
  isMonitoring: boolean;
}

export interface PricedTemplate {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

/**
 * Units of an idle tick, as `npm run cost -- usage` counts them: it queries the items of its source, and takes and gives back the lease of the tick. Seconds
 * that most of are the service's answer.
 */
export const IDLE = { readUnits: 1, writeUnits: 2, seconds: 0.3 };
/** Bytes of log an idle tick: the line of metrics, and those that Lambda writes of each invocation. */
export const LOG_BYTES: Record<MonitoringLevel, number> = { minimal: 750, full: 1_900 };

type Rule = (count: number, level: MonitoringLevel, sources: number) => ReturnType<typeof paid>;

const paid = (dollars: number, counted: string, withFreeTier = dollars) => ({ dollars, withFreeTier, counted });
/** So many of them are free. */
const beyond = (count: number, free: number, price: number, counted: string) =>
  paid(count * price, `${counted}; the first ${free} are free`, Math.max(0, count - free) * price);
const nothing =
  (counted = ""): Rule =>
  () =>
    paid(0, counted);

const RULES: Record<string, Rule> = {
  "AWS::SecretsManager::Secret": (count) => paid(count * PRICES.secret, `$${PRICES.secret} each`),
  "AWS::CloudWatch::Alarm": (count) => beyond(count, 10, PRICES.alarm, `$${PRICES.alarm} each`),
  "AWS::CloudWatch::Dashboard": (count) => beyond(count, 3, PRICES.dashboard, `$${PRICES.dashboard} each`),
  "AWS::KMS::Key": (count) => paid(count * PRICES.key, `$${PRICES.key} each, and its requests`),
  "AWS::Scheduler::Schedule": (count) =>
    paid((count * TICKS * PRICES.schedules) / MILLION, `${TICKS.toLocaleString("en-US")} ticks each`, 0),
  "AWS::Lambda::Function": (_count, _level, sources) => {
    const gbSeconds = (IDLE.seconds * DEFAULT_MEMORY) / 1024;
    const dollars = sources * TICKS * (PRICES.invocations / MILLION + gbSeconds * PRICES.gbSeconds);
    return paid(dollars, `the ticks, at ${IDLE.seconds} s and ${DEFAULT_MEMORY} MB`, 0);
  },
  "AWS::DynamoDB::Table": (_count, _level, sources) =>
    paid(
      (sources * TICKS * (IDLE.readUnits * PRICES.readUnits + IDLE.writeUnits * PRICES.writeUnits)) / MILLION,
      "one read and two writes a tick, for its lease. What it holds comes with the responses: $0.25 a GB, and $0.20 for its restore points",
    ),
  "AWS::Logs::LogGroup": (_count, level, sources) =>
    paid((sources * TICKS * LOG_BYTES[level] * PRICES.logs) / GB, `about ${LOG_BYTES[level]} bytes a tick`, 0),
  "AWS::S3::Bucket": nothing("$0.023 a GB of large answers"),
  "AWS::SNS::Topic": nothing("$2 for 100,000 mails"),
  "AWS::SQS::Queue": nothing("$0.40 for a million requests"),
  "AWS::Events::EventBus": nothing("$1 for a million events"),
  "AWS::Events::Archive": nothing("$0.10 a GB taken in, $0.023 a GB and month"),
};

/** Types that are never paid for. */
const FREE = new Set(
  [
    ...["EC2::SecurityGroup"],
    ...["Events::EventBusPolicy", "Events::Rule"],
    ...["CloudFormation::Stack"],
    ...["EventSchemas::Registry", "EventSchemas::RegistryPolicy", "EventSchemas::Schema"],
    ...["IAM::Policy", "IAM::Role"],
    ...["KMS::Alias"],
    ...["Lambda::Alias", "Lambda::EventInvokeConfig", "Lambda::EventSourceMapping", "Lambda::Permission"],
    ...["Logs::Delivery", "Logs::DeliveryDestination", "Logs::DeliverySource", "Logs::ResourcePolicy"],
    ...["S3::BucketPolicy"],
    ...["SNS::Subscription", "SNS::TopicPolicy"],
    ...["SQS::QueuePolicy"],
    ...["SSM::Parameter"],
  ].map((type) => `AWS::${type}`),
);

const MONITORING = /^AWS::(CloudWatch|SNS)::/;

/**
 * The price of everything in a template, and of the series that its sources' metrics are.
 *
 * @param sources how many are enabled
 * @throws Error for a type of which no price is known
 */
export function pricesOf({ Resources }: PricedTemplate, level: MonitoringLevel, sources: number): Price[] {
  const counts = new Map<string, number>();
  for (const { Type } of Object.values(Resources)) counts.set(Type, (counts.get(Type) ?? 0) + 1);
  const priced = [...counts].map(([type, count]): Price => {
    const rule = RULES[type] ?? (FREE.has(type) ? nothing() : undefined);
    if (rule === undefined) throw new Error(`test/bench/cost/resources.ts has no price for ${type}`);
    return { what: `\`${type}\``, count, ...rule(count, level, sources), isMonitoring: MONITORING.test(type) };
  });
  const series = sources * writtenBy(level).length;
  const ofSeries = beyond(series, 10, PRICES.series, `$${PRICES.series} each, in a month in which all are written`);
  return [{ what: "series of metrics", count: series, ...ofSeries, isMonitoring: true }, ...priced].sort(
    (a, b) => b.dollars - a.dollars || a.what.localeCompare(b.what),
  );
}

export function total(prices: readonly Price[], column: "dollars" | "withFreeTier" = "dollars"): number {
  return prices.reduce((sum, price) => sum + price[column], 0);
}

/** What several stacks cost, side by side. */
export function comparison(columns: Readonly<Record<string, readonly Price[]>>): string {
  const stacks = Object.values(columns);
  return [
    line(Object.keys(columns)),
    `|${"---:|".repeat(stacks.length)}`,
    line(stacks.map((prices) => dollars(total(prices)))),
  ].join("\n");
}

export const line = (cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;
const dollars = (value: number): string => value.toFixed(2);

/** What a stack holds that costs, dearest first, and the sums. */
export function resourceTable(prices: readonly Price[]): string {
  const sums = (name: string, some: readonly Price[]): string =>
    line([`**${name}**`, "", `**${dollars(total(some))}**`, `**${dollars(total(some, "withFreeTier"))}**`, ""]);
  return [
    line(["", "number", "$", "with the free tier", "what is paid for"]),
    "|---|---:|---:|---:|---|",
    ...prices
      .filter((price) => dollars(price.dollars) !== "0.00")
      .map((price) =>
        line([price.what, price.count, dollars(price.dollars), dollars(price.withFreeTier), price.counted]),
      ),
    sums("together", prices),
    sums(
      "of this monitoring",
      prices.filter(({ isMonitoring }) => isMonitoring),
    ),
  ].join("\n");
}
