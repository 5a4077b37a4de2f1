import * as z from "zod";

const time = z.int().nullable().describe("Epoch milliseconds");
const books = z
  .strictObject({
    listed: z.int(),
    emitted: z.int(),
    beforeFloor: z.int(),
    open: z.int(),
    waiting: z.int(),
    held: z.int(),
    quarantined: z.int(),
    refused: z.int(),
    closedAt: z.int(),
  })
  .describe("The last closed books: listed is the sum of the others");

const survey = z.strictObject({
  source: z.string(),
  surveyId: z.int(),
  name: z.string().nullable(),
  phase: z.enum(["new", "head", "catch-up"]),
  lastPoll: time,
  highWater: z.strictObject({ responseId: z.int(), completed: z.string() }).nullable(),
  lag: z
    .int()
    .nullable()
    .describe(
      "Milliseconds from the completion of the newest response to its event; null without a time zone, and in a backlog",
    ),
  now: z
    .strictObject({ open: z.int(), waiting: z.int(), held: z.int(), quarantined: z.int(), refused: z.int() })
    .describe("Responses in these states as the ledger has them now"),
  catchUp: z
    .strictObject({
      page: z.int(),
      pages: z.int().nullable(),
      part: z.number().nullable().describe("From 0 to 1"),
      left: z
        .int()
        .nullable()
        .describe(
          "Milliseconds that are left, as fast as the last minute or as the service allows; null while not known",
        ),
      emitted: z.int().nullable().describe("Of a first read in which all goes out: responses emitted so far"),
      expected: z.int().nullable().describe("About so many there will be, by the count of the survey list"),
    })
    .nullable()
    .describe("Set while a walk over all pages is under way"),
  books: books.nullable(),
  booksOpen: z.string().nullable().describe("Why the last full pass has not closed the books"),
  unaccounted: z.int().describe("Listed responses that the last full pass could not account for"),
});

const source = z.strictObject({
  source: z.string(),
  firstTick: time.describe("When the first one has begun"),
  lastTick: time.describe("When one has come to its end last"),
  listedAt: time.describe(
    "When a tick has read the survey list last: before lastTick, where the service is out of reach or refuses",
  ),
  pausedUntil: time.describe("The service is left alone until then: it has asked for that, or an operator has"),
  pausedSince: time.describe("Set where an operator has paused the source: since when"),
  rate: z
    .number()
    .nullable()
    .describe("Requests a second that the service was found to allow; null while no limit was met"),
  outages: z.array(z.enum(["metrics", "metadata"])).describe("Operations that fail for every response"),
  unlisted: z
    .array(z.int())
    .describe("Surveys that are to be polled by their ids, and that the survey list does not show"),
  start: z
    .strictObject({ from: z.string(), at: z.string().nullable(), leftOut: z.array(z.int()).optional() })
    .nullable()
    .describe("Where history begins; null while that is not known"),
  awaits: z.array(z.int()).describe("Surveys that count responses and show none, which the start waits for"),
  problem: z.string().nullable(),
});

/** The output of `status --json`, beside `schemaVersion`. */
export const statusAnswer = z.strictObject({
  verdict: z.enum(["complete", "working", "late", "withheld", "unaccounted", "unknown"]),
  sentence: z.string(),
  next: z.string().nullable().describe("The command that mends it"),
  listed: z.int(),
  accounted: z.int(),
  provedAt: time.describe("When the oldest of the closed books were closed"),
  run: z.enum(["at work", "ended"]).nullable().describe("Of npm start, on a data folder; null for a stack"),
  end: z
    .strictObject({ at: z.int(), cause: z.string().nullable().describe("Null where it ended as it should") })
    .nullable()
    .describe("How the last run on a data folder ended; null while it is at work, and where it broke off"),
  sources: z.array(source),
  surveys: z.array(survey),
});

export type StatusAnswer = z.infer<typeof statusAnswer>;
export type SurveyStatus = z.infer<typeof survey>;
export type SourceStatus = z.infer<typeof source>;
