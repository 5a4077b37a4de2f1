import { isObject } from "../../json.ts";

export const hasOnlyDigitKeys = (object: Record<string, unknown>): boolean =>
  Object.keys(object).every((key) => /^\d+$/.test(key));

/** The elements of a list, none for `null`. An object keyed by digits is one too: some languages write an array with gaps so. */
export function asArray(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  return isObject(value) && hasOnlyDigitKeys(value) ? Object.values(value) : undefined;
}

/** Levels of empty lists and objects within each other that are looked into. */
const MOST_NESTED = 3;

/** Whether a body holds nothing at all: `null`, `[]`, `{}`, or these within each other, as services write an empty map in a list. */
export function saysNothing(body: unknown, levels = MOST_NESTED): boolean {
  if (body === null) return true;
  if (levels === 0 || typeof body !== "object") return false;
  if (Array.isArray(body)) return body.every((item) => saysNothing(item, levels - 1));
  return Object.keys(body as object).length === 0;
}
