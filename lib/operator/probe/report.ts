/** Questions that the API document leaves open, and that a look at the service can answer. */
export const QUESTIONS = [
  "token shape",
  "tokens at once",
  "records together",
  "sort key",
  "order",
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

export interface Finding {
  question: Question;
  /** In one word or two; null where the sample cannot tell. */
  found: string | null;
  says: string;
}

export interface CheckLine {
  check: string;
  state: "ok" | "warn" | "fail";
  says: string;
  /** Advice; null where all is well. */
  todo: string | null;
  /** Of the error that was met. */
  code: string | null;
}

/** The findings of a look at a survey service. No answer, no name of a survey and no token is in it. */
export interface ProbeReport {
  checks: CheckLine[];
  findings: Finding[];
  /** Fields of the source's configuration, and what else is to be known. */
  suggests: { config: Record<string, unknown>; notes: string[] };
  /** IANA time zones that its dates may be in; none where that is not seen. */
  zones: string[];
  /** Made for it, the token's and repeated ones included. */
  requests: number;
  /** The survey that was looked at. */
  surveyId: number | null;
}

/** The finding where nothing can be told. */
export const notSeen = (question: Question, why: string): Finding => ({
  question,
  found: null,
  says: `not seen: ${why}`,
});
