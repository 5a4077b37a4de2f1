import type { PollContext } from "../context.ts";
import { notTaken } from "../errors.ts";
import { holdLease } from "../lease.ts";
import type { OutgoingEvent } from "../model/outgoing-event.ts";

/** Events of one request to the bus. */
// fault: too-many-at-once
export const MOST_ENTRIES = 10;

/** The facts that an event without contents has: where and when it was made. */
export function factsOf({ mark, source, surveyId, ports }: PollContext) {
  return {
    sourceName: source.name,
    surveyId,
    survey: mark.survey?.facts,
    /** Epoch milliseconds. */
    detectedAt: ports.clock.now(),
  };
}

/**
 * Publishes events that have no contents of a response, some at a time. Throws a `PublishFailedError` when the bus did not take all of them, or
 * nobody knows whether it did.
 */
export async function tell(ctx: PollContext, events: readonly OutgoingEvent[]): Promise<void> {
  const { publisher } = ctx.ports;
  for (let i = 0; i < events.length; i += MOST_ENTRIES) {
    const sealed = await Promise.all(events.slice(i, i + MOST_ENTRIES).map((event) => publisher.seal(event)));
    const outcomes = await publisher.publish(sealed, () => holdLease(ctx));
    const failed = outcomes.find(({ kind }) => kind !== "published");
    if (failed !== undefined) throw notTaken("code" in failed ? failed.code : "UNKNOWN");
  }
}
