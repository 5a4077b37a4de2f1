import { isObject } from "../../json.ts";

/** A value read from JSON, and the names of what in it was not as documented. */
export interface Read<T> {
  value: T;
  irregular: string[];
}

type Guards = Record<string, (value: unknown) => value is unknown>;

/** Of each field what its guard accepts, or null. */
type Taken<G extends Guards> = {
  [Name in keyof G]: G[Name] extends (value: unknown) => value is infer T ? T | null : never;
};

/**
 * Reads one JSON object by the guards of its fields. `raw` has the fields that are not as documented, as they were read. `irregular` has their
 * names, and those of fields that are missing.
 */
export function readFields<G extends Guards>(value: unknown, guards: G) {
  const fields = isObject(value) ? value : {};
  const irregular: string[] = [];
  // A field of the service by our own name is kept where it cannot be taken for ours.
  const raw: Record<string, unknown> = "raw" in fields ? { raw: fields.raw } : {};
  const take = (name: string, accepts: Guards[string]): unknown => {
    const read = fields[name];
    if (accepts(read)) return read;
    const number = longNumber(read);
    if (accepts(number)) return number;
    irregular.push(name);
    if (read !== undefined) raw[name] = read;
    return null;
  };
  const taken: Record<string, unknown> = {};
  for (const name in guards) taken[name] = take(name, guards[name] as Guards[string]);
  return { taken: taken as Taken<G>, raw, irregular };
}

/** An integer too great to be exact comes as the text of its digits. Where any number will do, it is taken as one. */
function longNumber(read: unknown): number | undefined {
  const isLong = typeof read === "string" && /^-?\d{16,}$/.test(read) && !Number.isSafeInteger(Number(read));
  return isLong ? Number(read) : undefined;
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
export const isNumberOrNull = (value: unknown): value is number | null => value === null || isNumber(value);
export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
export const isIntegerOrNull = (value: unknown): value is number | null => value === null || isInteger(value);
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
export const isIntegers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isInteger);

/** Whether a value from JSON has more levels than these. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => nestsDeeperThan(levels - 1, item));
}
