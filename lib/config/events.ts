import type * as z from "zod";
import type { EventType } from "../events/index.ts";
import { flag, section } from "./fields.ts";

/** Types of events beside `response.completed`, which always goes out. */
export const eventsSchema = section({
  "books.closed": flag().prefault(true),
});

/** All true by default. */
export type EventSwitches = z.infer<typeof eventsSchema>;

/** The types of events that a configuration lets go out. */
export function eventsOf(switches: EventSwitches): ReadonlySet<EventType> {
  const on = Object.entries(switches).flatMap(([type, isOn]) => (isOn ? [type as EventType] : []));
  return new Set(["response.completed", ...on]);
}
