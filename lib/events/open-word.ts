import * as z from "zod";

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
