import * as z from "zod";
import { responseCompleted } from "./response-completed.ts";

/** The contract as JSON Schema draft 4, which is what the EventBridge schema registry takes. */
export function responseCompletedJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(responseCompleted, { target: "draft-4" }) as Record<string, unknown>;
}
