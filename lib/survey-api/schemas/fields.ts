import * as z from "zod";

/** An identifier, a count or a position. */
export const integer = z.int();

/** Integer 0 or 1. Other integers fit too: which values a flag may take is not shown. */
export const flag = z.int();

/** Date-time string `YYYY-MM-DD HH:MM:SS` without a zone. The form is not enforced: zero dates and "" are met in its place. */
export const dateTime = z.string();

/** A field that was only ever seen as null: its type otherwise is not shown, so it may be anything, or missing. */
export const nullSeen = z.unknown().optional();

/**
 * A map keyed by identifiers, or by positions, as strings. `[]` is read as `{}`: a service that has one type for arrays
 * and maps writes an empty map so.
 */
export const mapOf = <Value extends z.ZodType>(value: Value) =>
  z.preprocess((read) => (isEmptyArray(read) ? {} : read), z.record(z.string(), value));

export const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
