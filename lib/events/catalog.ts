import type * as z from "zod";
import { booksClosed } from "./books-closed.ts";
import type { EventType } from "./contract.ts";
import { responseCompleted } from "./response-completed.ts";
import { responseUpdated } from "./response-updated.ts";
import { responseDeleted, surveyChanged, surveyCounted } from "./told.ts";

/** The schema of each event's `detail`: the only definition of the contract. */
export const detailSchemas = {
  "response.completed": responseCompleted,
  "response.updated": responseUpdated,
  "response.deleted": responseDeleted,
  "books.closed": booksClosed,
  "survey.changed": surveyChanged,
  "survey.counted": surveyCounted,
} as const satisfies Record<EventType, z.ZodType>;

/** The `detail` of an event of this type. */
export type DetailOf<T extends EventType> = z.infer<(typeof detailSchemas)[T]>;
