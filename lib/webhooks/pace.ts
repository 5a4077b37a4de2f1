/** The least that an event source mapping takes. */
const LEAST_CONCURRENCY = 2;
/** Requests a second that one invocation makes at most: an endpoint that takes half a second for each still gets most of them. */
const MOST_OF_ONE = 25;
/** The most that a mapping takes without waiting for a batch to fill up. */
const MOST_IN_A_BATCH = 10;
/** Milliseconds within which an invocation has begun all of its requests: the last one has its 30 s too. */
const BEGUN_WITHIN = 5_000;

/**
 * How `ratePerSecond` of a webhook, 1 to 300, is held. A queue knows no rate. So each of a fixed number of invocations keeps its part of the rate:
 * together they never exceed it. A retry counts as a request.
 *
 * @returns how many invocations the event source mapping lets run at a time, how many messages each gets, and the milliseconds between two requests
 *   of one. It lasts at least so long for each.
 */
export function paceOf(ratePerSecond: number) {
  const concurrency = Math.max(LEAST_CONCURRENCY, Math.ceil(ratePerSecond / MOST_OF_ONE));
  const spacing = (1_000 * concurrency) / ratePerSecond;
  return { concurrency, spacing, batchSize: Math.min(MOST_IN_A_BATCH, 1 + Math.floor(BEGUN_WITHIN / spacing)) };
}
