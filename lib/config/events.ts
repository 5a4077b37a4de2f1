import type * as z from "zod";
import { flag, section } from "./fields.ts";

/** Types of events beside `response.completed`, which always goes out. */
export const eventsSchema = section({
  "response.updated": flag().prefault(true),
  "response.deleted": flag().prefault(true),
  "response.withheld": flag().prefault(true),
  "books.closed": flag().prefault(true),
});

/** All true by default. */
export type EventSwitches = z.infer<typeof eventsSchema>;
