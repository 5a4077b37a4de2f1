import * as z from "zod";

const time = z.number().nullable().describe("Epoch milliseconds");

const step = z.strictObject({
  at: time,
  what: z
    .enum([
      "completed",
      "met",
      "listed",
      "proved",
      "details",
      "bus",
      "ledger",
      "updated",
      "changed",
      "gone",
      "deleted",
      "waiting",
      "held",
      "quarantined",
      "refused",
      "open",
      "before the floor",
      "books",
      "asked",
    ])
    .describe("What happened"),
  detail: z.string(),
  took: z
    .array(z.strictObject({ what: z.enum(["metrics", "metadata", "bus", "ledger"]), ms: z.number() }))
    .describe("How many milliseconds the parts of it took, of those that the log tells"),
});

/** The output of `explain --json`, beside `schemaVersion`. */
export const explainAnswer = z.strictObject({
  source: z.string(),
  surveyId: z.int().nullable().describe("Null where no survey has it"),
  responseId: z.union([z.int(), z.string()]).describe("Text for a record without a readable responseId"),
  verdict: z.enum([
    "emitted",
    "deleted",
    "before-floor",
    "open",
    "waiting",
    "held",
    "quarantined",
    "refused",
    "unknown",
  ]),
  outlook: z
    .enum(["settled", "coming", "person", "unknown"])
    .describe("Settled: nothing is due. Coming: it goes on by itself. Person: it needs somebody"),
  sentence: z.string(),
  steps: z.array(step).describe("Oldest first"),
  next: z.strictObject({
    what: z.string(),
    at: time,
    command: z.string().nullable(),
  }),
  ledger: z
    .strictObject({
      state: z.string(),
      eventId: z.string().nullable(),
      revision: z.int().nullable(),
      emittedAt: time,
      firstSeen: time,
      nextCheck: time,
      attempts: z.int().nullable(),
      records: z.int().nullable(),
      reason: z.string().nullable(),
      goneSince: time,
    })
    .nullable()
    .describe("Its item; null where there is none"),
  survey: z
    .strictObject({
      name: z.string().nullable(),
      phase: z.string(),
      floor: z.string().nullable(),
      highWater: z.int().nullable(),
      booksClosedAt: time,
      listedByBooks: z.boolean().nullable().describe("Null where no books tell"),
    })
    .nullable(),
  log: z.strictObject({
    lines: z.int(),
    from: time.describe("From when on all of the log was read; null: from its beginning"),
    note: z.string().nullable(),
  }),
});

export type ExplainAnswer = z.infer<typeof explainAnswer>;
export type Step = ExplainAnswer["steps"][number];
export type Next = ExplainAnswer["next"];
