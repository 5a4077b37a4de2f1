import * as z from "zod";
import { resentItem } from "../resend/answer.ts";

const time = z.int().nullable().describe("Epoch milliseconds");

const missing = z.strictObject({
  source: z.string(),
  surveyId: z.int(),
  responseId: z.int(),
  eventId: z.string().describe("The last event of the response"),
  revision: z.int().nullable(),
  emittedAt: z.int().describe("When the bus took it (epoch milliseconds)"),
  cause: z
    .enum(["never-arrived", "dead-letter-queue", "older-revision", "on-its-way"])
    .describe("on-its-way: emitted so shortly before the list was taken that it may have come since"),
  has: z.int().nullable().describe("The revision that the consumer has; null: none"),
});

/** The output of `verify --json`, beside `schemaVersion`. */
export const verifyAnswer = z.strictObject({
  verdict: z.enum(["complete", "missing", "on-its-way", "unknown"]),
  sentence: z.string(),
  next: z.string().nullable().describe("The command that mends it"),
  list: z.strictObject({
    from: z.string().describe("Where the consumer's ids were read"),
    asOf: z.int().describe("When the list was taken (epoch milliseconds): what was emitted later is left out"),
    notBefore: time.describe("Set where that is too early: when the youngest of its ids was emitted"),
    ids: z.int().describe("Event ids in it, each once"),
    unreadable: z.int().describe("Lines, items or objects without an event id"),
  }),
  scope: z.strictObject({ source: z.string().nullable(), surveyId: z.int().nullable(), from: time, to: time }),
  expected: z.int().describe("Responses whose last event the consumer should have"),
  neverArrived: z.int(),
  inDeadLetterQueue: z.int(),
  olderRevision: z.int(),
  onTheirWay: z.int(),
  emittedLater: z.int().describe("Emitted after the list was taken: not judged"),
  missing: z.array(missing),
  unknown: z
    .array(z.string())
    .nullable()
    .describe("Ids that no ledger of the poller has; null where only a part of it was read"),
  resend: z
    .strictObject({ dryRun: z.boolean(), sentence: z.string(), items: z.array(resentItem) })
    .nullable()
    .describe("With --resend"),
});

export type VerifyAnswer = z.infer<typeof verifyAnswer>;
export type MissingEvent = z.infer<typeof missing>;
