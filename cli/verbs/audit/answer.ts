import * as z from "zod";

const time = z.int().nullable().describe("Epoch milliseconds");

const cost = z.strictObject({
  pages: z.int().describe("Pages of the lists, as far as is known"),
  isExact: z.boolean().describe("False where a list was never read to its end: it may have more pages"),
  requests: z.int().describe("About two for each page: each is read again to prove that it has not moved"),
  seconds: z.int().nullable().describe("At the rate that was learned; null where nothing was ever refused"),
  by: time.describe("When it is done within the background budget, at the latest; null with --now"),
});

const survey = z.strictObject({
  surveyId: z.int(),
  name: z.string().nullable(),
  pages: z.int(),
  outcome: z
    .enum(["to do", "planned", "closed", "open", "unaccounted"])
    .describe("Planned: it is under way, and was not waited for"),
  listed: z.int().nullable().describe("As the closed books have it"),
  found: z.int().nullable().describe("New responses that no other walk had met: they went out"),
  missing: z
    .array(z.int())
    .nullable()
    .describe("Those of them that are older than the newest one that was settled; null where nothing tells"),
  closedAt: time,
  why: z.string().nullable().describe("Why the books are open"),
  unaccounted: z.strictObject({ count: z.int(), ids: z.array(z.int()) }).nullable(),
});

/** The output of `audit --json`, beside `schemaVersion`. */
export const auditAnswer = z.strictObject({
  dryRun: z.boolean(),
  source: z.string(),
  mode: z.enum(["background", "now"]),
  cost,
  surveys: z.array(survey),
});

const state = z.enum([
  "emitted",
  "before-floor",
  "open",
  "waiting",
  "held",
  "quarantined",
  "refused",
  "unnoted",
  "missing",
]);

const sampled = z.strictObject({
  surveyId: z.int(),
  name: z.string().nullable(),
  pages: z.int().describe("Pages of the list"),
  read: z.array(z.int()).describe("Those that were read, in asc order"),
  responses: z.int().describe("Different responses on them"),
  states: z.partialRecord(state, z.int()).describe("Unnoted: needs no event"),
  missing: z.array(z.int()).describe("Completed after the floor, and unknown to the ledger"),
  isNew: z.array(z.int()).describe("The same, but new since the last poll"),
  chances: z
    .array(z.strictObject({ missing: z.int(), seen: z.number() }))
    .describe(
      "The probability that so many missing responses, wherever they lie by chance, would have shown at least one",
    ),
  chanceOnOnePage: z.number().describe("The same where all of them lie on one page"),
});

/** The output of `audit --sample --json`, beside `schemaVersion`. */
export const sampleAnswer = z.strictObject({
  source: z.string(),
  percent: z.number(),
  seed: z.int(),
  surveys: z.array(sampled),
});

export type AuditAnswer = z.infer<typeof auditAnswer>;
export type AuditedSurvey = z.infer<typeof survey>;
export type AuditCost = z.infer<typeof cost>;
export type SampleAnswer = z.infer<typeof sampleAnswer>;
export type SampledSurvey = z.infer<typeof sampled>;
