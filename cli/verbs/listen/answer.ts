import * as z from "zod";

/** A line of `listen --json`: how the consumer took one event. */
export const listenAnswer = z.strictObject({
  at: z.string().describe("When it was posted (UTC, ISO 8601)"),
  type: z.string().nullable(),
  eventId: z.string().nullable(),
  responseId: z.int().nullable(),
  status: z.int().nullable().describe("Null where no answer came"),
  milliseconds: z.int(),
  outcome: z
    .enum(["taken", "retried", "given-up"])
    .describe("Taken; or what a deployed webhook would do: try it again, or put it into the dead-letter queue at once"),
  problem: z.string().nullable().describe("Why no answer came: a code"),
});

export type ListenAnswer = z.infer<typeof listenAnswer>;
