// What is read from JSON of others.

/** A JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An identifier is an integer that is not negative; digits in quotes are understood, for services that quote numbers. */
export function readId(value: unknown): number | undefined {
  const id = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
}

/** A flag is 0 or 1; the same in quotes and booleans are understood. */
export function readFlag(value: unknown): boolean | undefined {
  if (value === 1 || value === "1" || value === true) return true;
  if (value === 0 || value === "0" || value === false) return false;
  return undefined;
}
