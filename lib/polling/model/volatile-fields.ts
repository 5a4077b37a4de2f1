import { isObject } from "./irregular.ts";

// Nothing says that a record reads the same twice: an address in it may be signed anew each time, a field may tell when it was read, and the
// fields may come in any order. What a page shows is compared without that, else no two reads of it would ever be the same.

/** Fields of a record, by section 2.4 of the API document. */
const DOCUMENTED = [
  "responseId",
  "surveyId",
  "iso3166",
  "crk",
  "promoCode",
  "completed",
  "dateStart",
  "dateCompleted",
  "questionId",
  "answer",
  "comment",
  "score",
  "matrixScore",
] as const;
const documented: ReadonlySet<string> = new Set(DOCUMENTED);

/** All fields that the API document does not name. */
export const UNDOCUMENTED = "*";

/** Fields of a survey's records that read differently each time, as far as is known. */
export interface VolatileFields {
  /** Tells what is left out; empty where every field is compared, in the order in which it was read. */
  readonly version: string;
  has(field: string): boolean;
  /** Adds some, or none: then only the order of the fields is of no account from now on. Whether that is new. */
  add(fields: readonly string[]): boolean;
  /** The text by which a record is compared. */
  textOf(record: unknown): string;
}

/** `known`: as `onAdded` has told of them before. */
export function createVolatileFields(
  known?: readonly string[],
  onAdded: (fields: string[]) => void = () => undefined,
): VolatileFields {
  const names = new Set(known);
  let version = known === undefined ? "" : versionOf(names);
  return {
    get version() {
      return version;
    },
    has: (field) => names.has(field),
    add(fields) {
      for (const field of fields) names.add(field);
      if (version === versionOf(names)) return false;
      version = versionOf(names);
      onAdded([...names]);
      return true;
    },
    textOf(record) {
      if (version === "" || !isObject(record)) return JSON.stringify(record) ?? "null";
      const others = names.has(UNDOCUMENTED) ? [] : Object.keys(record).filter((name) => !documented.has(name));
      const compared = DOCUMENTED.map((name) => (names.has(name) ? null : record[name]));
      return JSON.stringify([compared, others.sort().map((name) => [name, record[name]])]);
    },
  };
}

/** Not empty: then at least the order of the fields is of no account. */
const versionOf = (names: ReadonlySet<string>): string => `~${[...names].sort().join()}`;

/** Where no field is. */
export const NONE_VOLATILE: VolatileFields = {
  version: "",
  has: () => false,
  add: () => false,
  textOf: (record) => JSON.stringify(record) ?? "null",
};

/** The fields in which two reads of a record differ, as `VolatileFields` names them; none: only in their order. */
export function differingFields(one: unknown, other: unknown): string[] {
  if (!isObject(one) || !isObject(other)) return [];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const differing = [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
  return [...new Set(differing.map((name) => (documented.has(name) ? name : UNDOCUMENTED)))];
}
