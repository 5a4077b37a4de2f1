import * as z from "zod";
import { SCHEMA_VERSION } from "./contract.ts";

// The parts of which the schemas of events are made.

/**
 * The schema of an object. Generated code has one type of this name, wherever the object stands, so no other schema may have it.
 *
 * Every object is loose: a field added later must never break a consumer that validates. zod's JSON Schema of a plain object would forbid
 * additional properties.
 */
export const object = <S extends z.ZodRawShape>(id: string, description: string, shape: S) =>
  z.looseObject(shape).meta({ id, title: id, description });

/** One of some known words, or one that a later version adds. */
export type OpenWord<W extends string> = W | (string & {});

/**
 * The schema of a word of an open list. It is published as a string with its known values as examples: code that is generated from a closed list
 * throws at the next word. Generators that know `x-extensible-enum` name the words.
 */
export function openWord<const W extends string>(known: readonly W[], description: string): z.ZodType<OpenWord<W>> {
  const words = `${description}. Known words: ${known.join(", ")}; there may be more`;
  return z.string().meta({ description: words, examples: [...known], "x-extensible-enum": [...known] });
}

/** The `meta` of every event. Each schema of an event adds fields of its own. */
export const meta = object("EventMeta", "How the event was made", {
  eventId: z.string().describe("The same for every delivery of the same event: the idempotency key"),
  schemaVersion: z.literal(SCHEMA_VERSION),
  sourceName: z.string().describe("Name of the source in the poller's configuration"),
  detectedAt: z.string().describe("When the event was made (UTC, ISO 8601)"),
  test: z.boolean().optional().describe("True in test events, which tell of nothing real; absent in all others"),
});

/** The `meta` of events that follow one another in a survey. */
export const numbered = {
  ...meta.shape,
  sequence: z.int().positive().describe("1 for the first of a survey, one more for each that follows"),
};

/** An instant that the poller's own clock has shown. */
export const instant = (description: string) => z.string().describe(`${description} (UTC, ISO 8601)`);
