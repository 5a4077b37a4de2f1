import * as z from "zod";

/** Questions that the API document leaves open, and that a look at the service can answer. */
export const QUESTIONS = [
  "token shape",
  "token life",
  "tokens at once",
  "records together",
  "sort key",
  "order",
  "order without one",
  "open responses",
  "past the end",
  "count responses",
  "count correct",
  "count unpaidResponses",
  "zone of dates",
  "index base",
  "operation 9",
  "Retry-After",
] as const;

export type Question = (typeof QUESTIONS)[number];

const finding = z.strictObject({
  question: z.enum(QUESTIONS),
  found: z.string().nullable().describe("In one word or two; null where the sample cannot tell"),
  says: z.string(),
});

export const checkLine = z.strictObject({
  check: z.string(),
  state: z.enum(["ok", "warn", "fail"]),
  says: z.string(),
  todo: z.string().nullable().describe("What to do; null where all is well"),
  code: z.string().nullable().describe("Of the error that was met"),
});

/** The findings of a look at a survey service. No answer, no name of a survey and no token is in it. */
export const probeReport = z.strictObject({
  checks: z.array(checkLine),
  findings: z.array(finding),
  suggests: z.strictObject({
    config: z.record(z.string(), z.unknown()).describe("Fields of the source's configuration"),
    notes: z.array(z.string()),
  }),
  zones: z.array(z.string()).describe("IANA time zones that its dates may be in; none where that is not seen"),
  requests: z.int().describe("Made for it, the token's and repeated ones included"),
  surveyId: z.int().nullable().describe("The survey that was looked at"),
});

export type ProbeReport = z.infer<typeof probeReport>;
export type Finding = z.infer<typeof finding>;
export type CheckLine = z.infer<typeof checkLine>;

/** The finding where nothing can be told. */
export const notSeen = (question: Question, why: string): Finding => ({
  question,
  found: null,
  says: `not seen: ${why}`,
});
