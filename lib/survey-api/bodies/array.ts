import { hasOnlyDigitKeys, isObject } from "./json.ts";

/**
 * The elements of a list: of an array, or none of `null`. An object whose keys are all digits counts as a list of its values: some
 * languages write an array whose indexes have gaps so. Undefined for anything else.
 */
export function asArray(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  return isObject(value) && hasOnlyDigitKeys(value) ? Object.values(value) : undefined;
}

/** The element of an array with one element, or a bare object; `[]` of an empty array; undefined for anything else. */
export function asOnlyElement(value: unknown): [unknown] | [] | undefined {
  if (isObject(value)) return [value];
  if (!Array.isArray(value) || value.length > 1) return undefined;
  return value.length === 0 ? [] : [value[0]];
}
