import { DEFAULT_MEMORY, PRICES } from "../../infra/prices.ts";
import { MINUTE } from "../../lib/config/units.ts";
import { GB, IDLE, LOG_BYTES, line, MILLION, TICKS } from "./resources.ts";

/** Seconds of an idle tick at a service that answers in 50 ms, as `npm run cost -- usage` measures them. */
const SECONDS = 0.06;
/** An event source mapping has so many requests for messages under way, each of which waits for up to so many seconds. */
const POLLERS = 5;
const LONG_POLL = 20;

interface Cost {
  what: string;
  used: number;
  dollars: number;
  withFreeTier: number;
}

/** What ticks cost in a month in which nothing happens, by what is paid for. */
export function costsAt(interval: number): Cost[] {
  const perMinute = MINUTE / interval;
  const ticks = TICKS * perMinute;
  const of = (what: string, used: number, price: number, free = 0): Cost => {
    const [dollars, withFreeTier] = [used, Math.max(0, used - free)].map((paid) => paid * price) as [number, number];
    return { what, used, dollars, withFreeTier };
  };
  return [
    of("DynamoDB, write units", ticks * IDLE.writeUnits, PRICES.writeUnits / MILLION),
    of("DynamoDB, read units", ticks * IDLE.readUnits, PRICES.readUnits / MILLION),
    of("Lambda, GB-seconds", (ticks * SECONDS * DEFAULT_MEMORY) / 1024, PRICES.gbSeconds, 400_000),
    of("Lambda, invocations", ticks, PRICES.invocations / MILLION, MILLION),
    of("Scheduler, invocations", TICKS, PRICES.schedules / MILLION, 14 * MILLION),
    of("CloudWatch Logs, bytes", ticks * LOG_BYTES.minimal, PRICES.logs / GB, 5 * GB),
    of("SQS, requests", TICKS * queueRequests(perMinute - 1), PRICES.queueRequests / MILLION, MILLION),
  ];
}

/** Requests a minute: one sends all messages. Each message is received, which ends a poll halfway on average, and deleted. */
function queueRequests(messages: number): number {
  if (messages === 0) return 0;
  const emptyPolls = (POLLERS * 60 - (messages * LONG_POLL) / 2) / LONG_POLL;
  return 1 + emptyPolls + 2 * messages;
}

export function sum(costs: readonly Cost[], column: "dollars" | "withFreeTier" = "dollars"): number {
  return costs.reduce((all, cost) => all + cost[column], 0);
}

/** Ticks a minute apart, and every ten seconds. */
export function withinMinuteTable(): string {
  const [slow, fast] = [costsAt(MINUTE), costsAt(10_000)];
  const shown = ({ used, dollars }: Cost): string[] => [Math.round(used).toLocaleString("en-US"), dollars.toFixed(2)];
  const sums = (column: "dollars" | "withFreeTier"): string[] =>
    [slow, fast].flatMap((costs) => ["", `**${sum(costs, column).toFixed(2)}**`]);
  const requests = [TICKS, 6 * TICKS].flatMap((count) => [count.toLocaleString("en-US"), ""]);
  return [
    line(["", '`"1m"`', "$", '`"10s"`', "$"]),
    line(["---", "---:", "---:", "---:", "---:"]),
    line(["requests to the service", ...requests]),
    ...slow.map((cost, i) => line([cost.what, ...shown(cost), ...shown(fast[i] ?? cost)])),
    line(["**together**", ...sums("dollars")]),
    line(["**with the free tier**", ...sums("withFreeTier")]),
  ].join("\n");
}
