import type { DetailKind, UsedPatience } from "../model/ledger-entry.ts";

/** Since when an operation that gives details has failed, without any answer of it (epoch milliseconds); absent: it works. */
export type Outages = Partial<Record<DetailKind, number>>;

/** How long a response has waited so far. */
export interface Patience {
  /** Epoch milliseconds at which the response was first seen complete. */
  firstSeen: number;
  /** Attempts made before this one. */
  attempts: number;
  /** Absent before the first attempt. */
  used?: UsedPatience | undefined;
}

export const LEAST_ATTEMPTS = 3;

/** Milliseconds after which an outage keeps nothing waiting any more. */
const LONGEST_OUTAGE = 24 * 3_600_000;

/** Whether what waits for an operation goes on waiting. */
export function isOut(kind: DetailKind, outages: Outages, now: number): boolean {
  const since = outages[kind];
  return since !== undefined && now - since < LONGEST_OUTAGE;
}

/**
 * The patience used up once an attempt has ended at `now`. The time since the last attempt counts for half of `enrichmentPatience` at most: a poller that stood still
 * has not been trying. During an outage of the operation no time counts, for a day at most.
 *
 * Example with `enrichmentPatience` "15m": the metrics of one response fail at 12:00, 12:05 and 12:10. All metrics fail from 12:10 to 13:00. It is given up at 13:05.
 */
export function usePatience(
  patience: Patience,
  now: number,
  outages: Outages,
  enrichmentPatience: number,
): UsedPatience {
  const last = patience.used ?? { askedAt: patience.firstSeen, waited: { metrics: 0, metadata: 0 } };
  const waited = (kind: DetailKind): number => {
    const { [kind]: since = now } = outages;
    const before = Math.max(0, since - last.askedAt);
    const after = Math.max(0, now - Math.max(last.askedAt, since + LONGEST_OUTAGE));
    return last.waited[kind] + Math.min(before + after, enrichmentPatience / 2);
  };
  return { askedAt: now, waited: { metrics: waited("metrics"), metadata: waited("metadata") } };
}

/** Whether an attempt that has failed at `now` was the last one. */
export function isGivenUp(
  kind: DetailKind,
  patience: Patience,
  now: number,
  outages: Outages,
  enrichmentPatience: number,
): boolean {
  // fault: given-up-at-once
  if (patience.attempts + 1 < LEAST_ATTEMPTS) return false;
  return usePatience(patience, now, outages, enrichmentPatience).waited[kind] >= enrichmentPatience;
}
