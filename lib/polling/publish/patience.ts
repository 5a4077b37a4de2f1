import { type Breakers, downtime } from "../model/breaker.ts";
import type { DetailKind, UsedPatience } from "../model/ledger-entry.ts";

/** How long a response has waited so far. */
export interface Patience {
  /** Epoch milliseconds at which the response was first seen complete. */
  firstSeen: number;
  /** Attempts made before this one. */
  attempts: number;
  /** Absent before the first attempt, and on items of before this was counted. */
  used?: UsedPatience | undefined;
}

export const LEAST_ATTEMPTS = 3;

/**
 * The patience used up once an attempt has ended at `now`. The time since the last attempt counts without downtime, and for half of `enrichmentPatience` at most: a
 * poller that stood still has not been trying. So three attempts at least use it up, spread over the whole of it.
 */
export function usePatience(
  patience: Patience,
  now: number,
  breakers: Breakers,
  enrichmentPatience: number,
): UsedPatience {
  const down = { metrics: downtime(breakers.metrics, now), metadata: downtime(breakers.metadata, now) };
  const last = patience.used ?? { askedAt: patience.firstSeen, waited: { metrics: 0, metadata: 0 }, down };
  const waited = (kind: DetailKind): number => {
    const since = now - last.askedAt - Math.max(0, down[kind] - last.down[kind]);
    // The sum is below zero where an outage became known that had begun before the last attempt.
    return Math.max(0, last.waited[kind] + Math.min(since, enrichmentPatience / 2));
  };
  return { askedAt: now, waited: { metrics: waited("metrics"), metadata: waited("metadata") }, down };
}

/** Whether an attempt that has failed at `now` was the last one. */
export function isGivenUp(
  kind: DetailKind,
  patience: Patience,
  now: number,
  breakers: Breakers,
  enrichmentPatience: number,
): boolean {
  // fault: given-up-at-once
  if (patience.attempts + 1 < LEAST_ATTEMPTS) return false;
  return usePatience(patience, now, breakers, enrichmentPatience).waited[kind] >= enrichmentPatience;
}
