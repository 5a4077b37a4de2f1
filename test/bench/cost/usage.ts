import { DEFAULT_MEMORY, PRICES } from "../../../infra/prices.ts";
import { startAws } from "../support/aws.ts";
import { createAwsPoller } from "../support/aws-poller.ts";
import { startService } from "../support/service.ts";
import { GB, line, MILLION, TICKS } from "./resources.ts";

const SECRETS = 2;

/** What ticks came to, each a mean for one of them. */
interface Usage {
  requests: number;
  readUnits: number;
  writeUnits: number;
  events: number;
  secretCalls: number;
  /** Seconds, at this latency of the service. */
  seconds: number;
}

interface Scenario {
  surveys: number;
  /** Responses of each at the beginning. */
  responses: number;
  /** Responses that complete before a tick, on average. */
  news: number;
  ticks: number;
}

/** Milliseconds by which each answer of the service is delayed. */
const LATENCY = 50;

/** News do not come in the order of survey ids: a prime, so that they come to all of them. */
const STRIDE = 7_919;

/** Ticks over a service that is at rest but for what completes before each, with the SDK's own account of the units that they used. */
export async function usageOf({ surveys, responses, news, ticks }: Scenario): Promise<Usage> {
  const aws = await startAws();
  const service = await startService({
    surveys: Object.fromEntries(Array.from({ length: surveys }, (_, i) => [i + 1, responses])),
    records: news === 0 || surveys < 1_000 ? 5 : 1,
    latency: LATENCY,
  });
  const poller = await createAwsPoller(service.url, { startFrom: "now", advanced: { concurrency: 64 } });
  try {
    await poller.settle();
    // A process that has been at work for a while has polled each survey that has news.
    if (news > 0) for (let survey = 1; survey <= surveys; survey += 1) await service.complete(survey);
    await poller.settle();
    // The background work of the first hours is that of the beginning.
    await poller.tick();
    await service.reset();
    const before = { ...poller.units(), ...(await aws.figures()) };
    let seconds = 0;
    for (let tick = 0; tick < ticks; tick += 1) {
      for (let i = Math.ceil(tick * news); i < (tick + 1) * news; i += 1)
        await service.complete(1 + ((i * STRIDE) % surveys));
      const began = performance.now();
      await poller.tick();
      seconds += (performance.now() - began) / 1000;
    }
    const after = { ...poller.units(), ...(await aws.figures()) };
    const secrets = (counters: Record<string, number>): number =>
      Object.entries(counters).reduce((sum, [name, count]) => sum + (name.startsWith("secretsmanager") ? count : 0), 0);
    return {
      requests: (await service.requests()) / ticks,
      readUnits: (after.readUnits - before.readUnits) / ticks,
      writeUnits: (after.writeUnits - before.writeUnits) / ticks,
      events: (after.events - before.events) / ticks,
      secretCalls: (secrets(after.counters) - secrets(before.counters)) / ticks,
      seconds: seconds / ticks,
    };
  } finally {
    poller.close();
    aws.stop();
    service.stop();
  }
}

const SCENARIOS: (Scenario & { name: string })[] = [
  { name: "100 surveys, 10,000 responses a day", surveys: 100, responses: 100, news: 7, ticks: 20 },
  { name: "10,000 surveys, 1,000,000 responses a day", surveys: 10_000, responses: 100, news: 694, ticks: 4 },
];

/** Bytes of a settled response in the table; of log for a tick with news, and for each event of a response. */
const ITEM = 300;
const LOG_LINE = 350;
const EVENT_LINE = 850;

type Cost = [what: string, used: string, dollars: number];

/** What a month of such ticks costs. */
export function costsOf({ requests: _, ...usage }: Usage): Cost[] {
  const month = (perTick: number): number => perTick * TICKS;
  const logged = usage.events > 0 ? TICKS * LOG_LINE + month(usage.events) * EVENT_LINE : 0;
  const gbSeconds = (month(usage.seconds) * DEFAULT_MEMORY) / 1024;
  const stored = (month(usage.events) * 12 * ITEM) / GB;
  const count = (value: number): string => Math.round(value).toLocaleString("en-US");
  const of = (what: string, used: number, price: number): Cost => [what, count(used), (used / MILLION) * price];
  return [
    of("DynamoDB, write units", month(usage.writeUnits), PRICES.writeUnits),
    of("DynamoDB, read units", month(usage.readUnits), PRICES.readUnits),
    ["DynamoDB, storage after a year", `${stored.toFixed(1)} GB`, stored * PRICES.storage],
    of("EventBridge, events", month(usage.events), PRICES.events),
    ["Lambda, GB-seconds", count(gbSeconds), gbSeconds * PRICES.gbSeconds],
    of("Lambda, invocations", TICKS, PRICES.invocations),
    of("Scheduler, invocations", TICKS, PRICES.schedules),
    ["Secrets Manager, secrets", String(SECRETS), SECRETS * PRICES.secret],
    of("Secrets Manager, calls", month(usage.secretCalls), PRICES.secretCalls),
    ["CloudWatch Logs", `${(logged / GB).toFixed(2)} GB`, (logged / GB) * PRICES.logs],
  ];
}

const dollars = (value: number): string => (value < 0.005 ? "0.00" : value.toFixed(2));

/** What ticks of each scenario use, counted, and what that costs. Takes minutes. */
export async function usageTable(): Promise<string> {
  const results: { name: string; costs: Cost[] }[] = [];
  for (const { name, ...scenario } of SCENARIOS) {
    const usage = await usageOf(scenario);
    results.push({ name, costs: costsOf(usage) });
    process.stderr.write(`${name}: ${JSON.stringify(usage)}\n`);
  }
  const rows = results[0]?.costs
    .map(([what], i) => [what, ...results.flatMap(({ costs }) => [costs[i]?.[1] ?? "", dollars(costs[i]?.[2] ?? 0)])])
    .filter((cells) => cells.some((cell, i) => i > 0 && i % 2 === 0 && cell !== "0.00"));
  const totals = results.map(({ costs }) => costs.reduce((sum, [, , price]) => sum + price, 0));
  return `${line(["", ...results.flatMap(({ name }) => [name, "$"])])}
|---|${"---:|---:|".repeat(results.length)}
${rows?.map(line).join("\n")}
${line(["**together**", ...totals.flatMap((total) => ["", `**${dollars(total)}**`])])}`;
}
