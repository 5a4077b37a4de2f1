import type * as z from "zod";
import { flag, section } from "./fields.ts";

/** Types of events beside `response.completed`, which always goes out. */
export const eventsSchema = section({
  "response.updated": flag().prefault(true),
  "response.deleted": flag().prefault(true),
  "books.closed": flag().prefault(true),
  "survey.changed": flag().prefault(false),
});

/** All true by default, but for `survey.changed`. */
export type EventSwitches = z.infer<typeof eventsSchema>;
