import type { DetailKind } from "./ledger-entry.ts";

// A circuit breaker for each operation that gives details (R17). An operation that fails for every response of a source is no reason to give one up. Pure functions
// over what the account keeps. Times are epoch milliseconds.

/** A response, by `surveyId/responseId`. */
export type ResponseKey = string;

/**
 * Closed: the operation works. `failed` are the different responses that have failed since its last answer, three at most. Open: it has failed for everybody since
 * `since`, and is not asked, but for one look and two trials a tick.
 */
export type Breaker = {
  /** Milliseconds for which it was open, without this time. */
  down: number;
  /** The response whose answer came last: an answer that was had once can be had again while the operation works. */
  answered?: { surveyId: number; responseId: number };
  /** The last failure. */
  failedAt?: number;
} & ({ phase: "closed"; failed: ResponseKey[]; since?: number } | { phase: "open"; since: number });

export type Breakers = Record<DetailKind, Breaker>;

/** The outcome of one attempt; `code` is the error's own. */
export type Outcome = { kind: "found"; body: unknown } | { kind: "absent" } | { kind: "failed"; code: string };

/** The state of the operations that give details, as all polls of one tick see it together. */
export interface BreakerWatch {
  breakers: Breakers;
  /** As the account had them, as JSON. */
  known: string;
  /** The look at a response that was answered before. A look in vain is not repeated before the next answer. */
  looks: Partial<Record<DetailKind, Promise<void>>>;
  /** Attempts made although the breaker was open: all others wait for what these come to. */
  trials: Record<DetailKind, { new?: Promise<Outcome>; waiting?: Promise<Outcome> }>;
}

/** Different failed responses that make an operation suspect: fewer may fail by a fault of their own. */
const SUSPICIOUS = 3;
/** Milliseconds after which an open breaker keeps nothing waiting any more. */
const LONGEST = 24 * 3_600_000;
/** Milliseconds between two failures of one outage, at most. */
const LONGEST_GAP = 3_600_000;

export function closedBreakers(): Breakers {
  return { metrics: { phase: "closed", down: 0, failed: [] }, metadata: { phase: "closed", down: 0, failed: [] } };
}

/** After an answer: found and absent both are one. `of` is the response that can be asked for again. */
export function answered(breaker: Breaker, at: number, of = breaker.answered): Breaker {
  return { phase: "closed", failed: [], down: downtime(breaker, at), ...(of === undefined ? {} : { answered: of }) };
}

/** After a failure. */
export function failed(known: Breaker, at: number, response: ResponseKey): Breaker {
  const breaker = { ...sinceThen(known, at), failedAt: at };
  const isCounted = breaker.phase === "closed" && breaker.failed.length < SUSPICIOUS;
  if (!isCounted || breaker.failed.includes(response)) return breaker;
  return { ...breaker, since: Math.min(breaker.since ?? at, at), failed: [...breaker.failed, response] };
}

/** A poller that stood still has not been trying: a failure long before says nothing of the time between. */
function sinceThen(breaker: Breaker, at: number): Breaker {
  if (at - (breaker.failedAt ?? at) <= LONGEST_GAP) return breaker;
  return breaker.phase === "open" ? { ...breaker, since: at } : { ...breaker, failed: [], since: at };
}

/** Whether so many different responses have failed since the last answer that the operation may be at fault, and not they. */
export function isSuspected(breaker: Breaker): boolean {
  return breaker.phase === "closed" && breaker.failed.length >= SUSPICIOUS;
}

/** The breaker of an operation that fails for everybody, since the first of those failures. */
export function opened(known: Breaker, at: number): Breaker {
  const breaker = { ...sinceThen(known, at), failedAt: at };
  if (breaker.phase === "open") return breaker;
  const { failed: _, ...rest } = breaker;
  return { ...rest, phase: "open", since: breaker.since ?? at };
}

/** Whether what waits for the operation goes on waiting, without being asked for. */
export function isOpen(breaker: Breaker, now: number): boolean {
  return breaker.phase === "open" && now - breaker.since < LONGEST;
}

/** Milliseconds for which the operation has failed for everybody until `now`: patience stands still for as long. */
export function downtime(breaker: Breaker, now: number): number {
  if (breaker.phase === "closed") return breaker.down;
  return breaker.down + Math.min(LONGEST, Math.max(0, now - breaker.since));
}
