import { isObject } from "../../json.ts";
import { nestsDeeperThan } from "./fields.ts";

/** The fields of a record that the API document has (2.4). */
export const RECORD_FIELDS: ReadonlySet<string> = new Set([
  ...["responseId", "surveyId", "iso3166", "crk", "promoCode", "completed", "dateStart", "dateCompleted"],
  ...["questionId", "answer", "comment", "score", "matrixScore"],
]);

type Fields = Record<string, unknown>;

/** Undocumented fields of a response, as they came. Undefined where there are none. */
export interface Extra {
  response: Fields | undefined;
  /** Of each record. */
  answers: (Fields | undefined)[];
  /** Whether one was left out, as it is nested too deep to be published. */
  isCut: boolean;
}

/** Most characters of those of the response: they stay in an event whose answers lie in S3. */
const MOST_SHARED = 10_000;
/** Levels of one field: the bus takes a thousand of an event. */
const MOST_NESTED = 900;

/** Undocumented fields belong to the response where all its records have them with the same value, and else to their own record. */
export function readExtra(records: readonly unknown[]): Extra {
  let isCut = false;
  const own = records.map((record) => {
    const fields = new Map<string, unknown>();
    const given = isObject(record) ? record : {};
    for (const name in given) {
      if (RECORD_FIELDS.has(name)) continue;
      if (nestsDeeperThan(MOST_NESTED, given[name])) isCut = true;
      else fields.set(name, given[name]);
    }
    return fields;
  });
  const [first = new Map<string, unknown>(), ...others] = own;
  const isShared = (name: string, value: unknown): boolean => {
    const text = JSON.stringify(value);
    return others.every((fields) => fields.has(name) && JSON.stringify(fields.get(name)) === text);
  };
  const shared = new Map(
    [...first].filter(([name, value]) => isShared(name, value)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const all = fieldsOf(shared);
  const isSmall = JSON.stringify(all ?? {}).length <= MOST_SHARED;
  if (isSmall) for (const fields of own) for (const name of shared.keys()) fields.delete(name);
  return { response: isSmall ? all : undefined, answers: own.map(fieldsOf), isCut };
}

/** Through entries, since assigning to `__proto__` would not make a field. */
const fieldsOf = (fields: ReadonlyMap<string, unknown>): Fields | undefined =>
  fields.size === 0 ? undefined : Object.fromEntries(fields);
