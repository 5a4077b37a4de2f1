import type { Delivered } from "../recorded.ts";

type Arrived = readonly { event: Delivered }[];

/** Ids of responses that have an event; replays do not count. */
export function responsesOf(events: Arrived): Set<number> {
  return new Set(firstHand(events).map(({ event }) => event.detail.data.responseId));
}

/** Event ids that the poller has put on the bus more than once: each time EventBridge gives a delivery another id. */
export function duplicates(events: Arrived): string[] {
  const deliveries = new Map<string, Set<string>>();
  for (const { event } of firstHand(events)) {
    const known = deliveries.get(event.detail.meta.eventId) ?? new Set();
    deliveries.set(event.detail.meta.eventId, known.add(event.id));
  }
  return [...deliveries].filter(([, ids]) => ids.size > 1).map(([eventId]) => eventId);
}

function firstHand<One extends { event: Delivered }>(events: readonly One[]): One[] {
  return events.filter(({ event }) => event["replay-name"] === undefined);
}
