import * as z from "zod";
import { instant, numbered, object, openWord } from "./parts.ts";
import { survey } from "./response-completed.ts";

const count = (description: string) => z.int().nonnegative().describe(description);

const counts = object("BooksCounts", "Each listed response in one class", {
  listed: count("Responses that the list holds: the sum of all other counts"),
  emitted: count("Those that have an event"),
  beforeStart: count("Completed before the poller's history begins"),
  open: count("Not completed"),
  waiting: count("Completed; their event waits for metrics, metadata or the bus"),
  held: count("Completed; nothing proves that their answers are all there"),
  quarantined: count("They cannot be read"),
  refused: count("Completed; the bus does not take their event"),
});

const withheld = object("WithheldResponse", "A listed response that does not go out without help", {
  responseId: z.int(),
  state: openWord(
    ["held", "quarantined", "refused"],
    "Held: nothing proves that its answers are all there. Quarantined: it cannot be read. Refused: the bus does not take its event",
  ),
  reason: z.string().nullable().describe("A code; never contents"),
});

const digest = object(
  "BooksDigest",
  "Of the latest event of each response, whatever their order. It is no seal against a forger",
  {
    count: count(
      "Event ids in the sum: one for each response with an event, also of responses that are listed no more",
    ),
    sum: z
      .string()
      .describe("Sum modulo 2^256 of the SHA-256 of each event id (lower-case text), as 64 hexadecimal digits"),
  },
);

/** The `detail` of a `books.closed` event: every response that a survey lists is accounted for. */
export const booksClosed = object("BooksClosed", "Every response that a survey lists is accounted for", {
  meta: object("BooksMeta", "How the event of closed books was made", {
    ...numbered,
    previous: z.string().nullable().describe("The `books.closed` event before this one; null in the first"),
  }),
  data: object("Books", "What the books of a survey say", {
    surveyId: z.int(),
    survey: survey.nullable(),
    from: z
      .string()
      .nullable()
      .describe(
        "The service's own date from which on responses have events, in a zone it does not name; null: from the beginning",
      ),
    asOf: instant("When the reading of the list began: what was listed then is in the counts"),
    passes: count("Times in a row that the books have closed: one alone cannot see two changes that cancel each other"),
    deficit: z
      .int()
      .nullable()
      .describe("The service's own count of responses minus `listed`; null where it states none"),
    counts,
    withheld: z
      .array(withheld)
      .describe("Which responses are held, quarantined or refused, in the order of their ids: the first 50"),
    digest,
    eventIdSum: z
      .string()
      .describe(
        "Sum of the first 32 bits of each event id in the digest, in decimal digits: what a warehouse computes in SQL",
      ),
    buckets: z
      .array(count("Event ids that begin with this byte"))
      .length(256)
      .describe("Of the event ids in the digest how many begin with each byte, from 00 to ff"),
  }),
});

export type BooksClosed = z.infer<typeof booksClosed>;
