import * as z from "zod";

const time = z.int().nullable().describe("Epoch milliseconds");
const id = z
  .union([z.int(), z.string()])
  .describe("A responseId, or the id of a record of nobody knows which response");
const state = z.string().describe("quarantined, refused, or emitted where its replacement was refused");

const group = z.strictObject({
  source: z.string(),
  state,
  reason: z.string(),
  count: z.int(),
  kept: z.int().describe("Of how many the records are still kept"),
  oldest: time.describe("When the first of them was set aside, in epoch milliseconds, where that is known"),
  recordsGo: time.describe("When the first kept records are dropped, in epoch milliseconds"),
  meaning: z.string(),
  mend: z.string(),
  next: z.string().nullable(),
  surveys: z.array(
    z.strictObject({ surveyId: z.int(), name: z.string().nullable(), count: z.int(), ids: z.array(id) }),
  ),
});

/** The output of `quarantine list --json`, beside `schemaVersion`. */
export const listAnswer = z.strictObject({ total: z.int(), groups: z.array(group) });
export type ListAnswer = z.infer<typeof listAnswer>;
export type Group = z.infer<typeof group>;

/** The output of `quarantine show --json`. */
export const showAnswer = z.strictObject({
  source: z.string(),
  surveyId: z.int(),
  name: z.string().nullable(),
  id,
  state: z.string(),
  reason: z.string().nullable(),
  since: time,
  attempts: z.int().nullable(),
  kept: z.enum(["table", "bucket"]).nullable().describe("Where its records lie; null where none are kept"),
  recordsGo: time,
  revealed: z.boolean(),
  records: z.array(z.unknown()).nullable().describe("Without --reveal masked: what is personal is only named"),
  details: z.unknown().describe("Its metrics and metadata as far as they are kept; only with --reveal"),
});
export type ShowAnswer = z.infer<typeof showAnswer>;

const left = z.strictObject({
  unreadable: z.int(),
  withoutRecords: z.int(),
  beforeFloor: z.int(),
  failed: z.int(),
});
const redriven = z.strictObject({
  surveyId: z.int(),
  name: z.string().nullable(),
  outcome: z.enum(["done", "unfinished", "busy", "failed", "not polled"]).nullable().describe("Null in a dry run"),
  putBack: z.int(),
  left: left.nullable(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});

/** The output of `quarantine redrive --json`. */
export const redriveAnswer = z.strictObject({
  dryRun: z.boolean(),
  source: z.string(),
  total: z.int().describe("Set aside, before it"),
  reasons: z.array(z.strictObject({ state, reason: z.string(), count: z.int(), kept: z.int() })),
  surveys: z.array(redriven),
});
export type RedriveAnswer = z.infer<typeof redriveAnswer>;
