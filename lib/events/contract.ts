// Apart from the schemas: who makes events does not have to wait for these to be made, too.

/** DetailType of the event of a completed response. */
export const DETAIL_TYPE = "response.completed";

/** DetailTypes of all events, by the kind of thing they tell of. */
export const EVENT_TYPES = [
  DETAIL_TYPE,
  "response.updated",
  "response.deleted",
  "books.closed",
  "survey.changed",
  "survey.counted",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Version of the contract; a field added is not a new version, nor is a further event type. */
export const SCHEMA_VERSION = "1";

/**
 * The parts of a response that can differ from its last event: its answers; its dates, country, key and code; or how many records it has.
 */
export const CHANGES = ["answers", "facts", "records"] as const;
export type Change = (typeof CHANGES)[number];
