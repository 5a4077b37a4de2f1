import { DEFAULT_MEMORY, PRICES } from "../../../infra/prices.ts";
import { MINUTE } from "../../../lib/config/units.ts";
import { GB, IDLE, LOG_BYTES, MILLION, TICKS } from "./resources.ts";

/** Seconds of an idle tick at a service that answers in 50 ms. */
const SECONDS = 0.06;
/** An event source mapping has so many requests for messages under way, each of which waits for up to so many seconds. */
const POLLERS = 5;
const LONG_POLL = 20;

interface Cost {
  dollars: number;
  withFreeTier: number;
}

/** What ticks cost in a month in which nothing happens, by what is paid for. */
export function costsAt(interval: number): Cost[] {
  const perMinute = MINUTE / interval;
  const ticks = TICKS * perMinute;
  const of = (_what: string, used: number, price: number, free = 0): Cost => ({
    dollars: used * price,
    withFreeTier: Math.max(0, used - free) * price,
  });
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

export function sum(costs: readonly Cost[], column: keyof Cost): number {
  return costs.reduce((all, cost) => all + cost[column], 0);
}
