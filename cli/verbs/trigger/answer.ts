import * as z from "zod";
import { kinds } from "./kinds.ts";

/** The output of `trigger --json`, beside `schemaVersion`. */
export const triggerAnswer = z.strictObject({
  dryRun: z.boolean(),
  kind: z.enum(kinds),
  eventId: z.string(),
  bus: z.string(),
  source: z.string().describe("`source` of the envelope, which the rules of subscribers look at"),
  type: z.string(),
  detail: z.looseObject({ meta: z.looseObject({}), data: z.looseObject({}) }).describe("As it is, or would be, sent"),
});

export type TriggerAnswer = z.infer<typeof triggerAnswer>;
