import { isObject } from "../../json.ts";

export const hasOnlyDigitKeys = (object: Record<string, unknown>): boolean =>
  Object.keys(object).every((key) => /^\d+$/.test(key));

/**
 * The elements of a list: of an array, or none of `null`. An object whose keys are all digits counts as a list of its values: some
 * languages write an array whose indexes have gaps so. Undefined for anything else.
 */
export function asArray(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  return isObject(value) && hasOnlyDigitKeys(value) ? Object.values(value) : undefined;
}

/** One value that a body holds by key, and where it stands in the body. */
export interface Entry {
  key: string;
  value: unknown;
  at: (string | number)[];
}

/**
 * The values of a body by key, in the shape of sections 2.6 and 2.7: an array with one object. The bare object is read too, several objects
 * as one, and `null` as none. A list stands for a map where a service has one type for both: its keys are the positions then. Undefined for
 * anything else, and where a key comes twice.
 *
 * @param isValue whether an object is itself one of the values, and not a map of them
 */
export function entriesIn(
  body: unknown,
  isValue: (object: unknown) => boolean,
): { entries: Entry[]; isList: boolean } | undefined {
  const maps: unknown[] = body === null ? [] : isObject(body) ? [body] : Array.isArray(body) ? body : [undefined];
  const entries: Entry[] = [];
  let isList = false;
  for (const [position, map] of maps.entries()) {
    if (map === null) continue;
    if (typeof map !== "object") return undefined;
    const at = maps === body ? [position] : [];
    const isBare = isObject(map) && isValue(map);
    isList ||= isBare || (Array.isArray(map) && map.length > 0);
    if (isBare) entries.push({ key: String(position), value: map, at });
    else for (const [key, value] of Object.entries(map)) entries.push({ key, value, at: [...at, key] });
  }
  return new Set(entries.map(({ key }) => key)).size < entries.length ? undefined : { entries, isList };
}
