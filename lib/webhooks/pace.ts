/** How `ratePerSecond` of a webhook is held. */
export interface Pace {
  /** Invocations at a time, which the event source mapping sees to. */
  concurrency: number;
  /** Messages of an invocation. */
  batchSize: number;
  /** Milliseconds between two requests of an invocation. It lasts at least so long for each. */
  spacing: number;
}

/** The least that an event source mapping takes. */
const LEAST_CONCURRENCY = 2;
/** Requests a second that one invocation makes at most: an endpoint that takes half a second for each still gets most of them. */
const MOST_OF_ONE = 25;
/** The most that a mapping takes without waiting for a batch to fill up. */
const MOST_IN_A_BATCH = 10;
/** Milliseconds within which an invocation has begun all of its requests: the last one has its 30 s too. */
const BEGUN_WITHIN = 5_000;

/**
 * A queue knows no rate. So each of a fixed number of invocations keeps its part of the rate: together they never exceed it. A retry counts as a request.
 *
 * @param ratePerSecond 1 to 300
 */
export function paceOf(ratePerSecond: number): Pace {
  const concurrency = Math.max(LEAST_CONCURRENCY, Math.ceil(ratePerSecond / MOST_OF_ONE));
  const spacing = (1_000 * concurrency) / ratePerSecond;
  return { concurrency, spacing, batchSize: Math.min(MOST_IN_A_BATCH, 1 + Math.floor(BEGUN_WITHIN / spacing)) };
}
