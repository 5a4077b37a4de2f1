import * as z from "zod";

const range = z
  .strictObject({ from: z.string(), to: z.string() })
  .describe("Dates of completion, as the service writes them; both belong to it");

/** The output of `backfill --json`, beside `schemaVersion`. */
export const backfillAnswer = z.strictObject({
  dryRun: z.boolean(),
  source: z.string(),
  surveyId: z.int(),
  outcome: z
    .enum(["to do", "started", "under way", "done", "partial", "stopped", "nothing", "none"])
    .describe("Partial: it came to its end, and something may have been left out; none: none is under way"),
  range: range.nullable(),
  floor: z.string().nullable().describe("What completed up to then has not been emitted"),
  count: z
    .int()
    .nullable()
    .describe("Responses that it would emit, counted over all pages; null where they were not counted"),
  ids: z.array(z.int()).describe("The first hundred of them"),
  pages: z.int().describe("Pages of the list, as far as is known"),
  page: z.int().nullable().describe("Where the backfill is that is under way"),
  why: z.string().nullable(),
});

export type BackfillAnswer = z.infer<typeof backfillAnswer>;
