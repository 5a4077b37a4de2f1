import { isObject } from "../../events/build/fields.ts";
import { type LedgerEntry, PERSON_KEYS, type PersonKey } from "./ledger-entry.ts";

/** The keyed hash of a key of a person; undefined where its kind is not to be found again. */
export type HashPersonKey = (kind: PersonKey, value: string) => string | undefined;

/** The keys of a person in what is held of a response; undefined of a kind that is not known as long as the metadata are not. */
export function personKeys(records: readonly unknown[], metadata: unknown): Record<PersonKey, string[] | undefined> {
  return { crk: textsOf(records, "crk"), referrer: isObject(metadata) ? textsOf([metadata], "referrer") : undefined };
}

/** The field of an entry by which its person is found; none where that is not asked for. */
export function personOf(
  { hashPersonKey }: { hashPersonKey?: HashPersonKey | undefined },
  records: readonly unknown[],
  metadata?: unknown,
): Pick<LedgerEntry, "person"> {
  if (hashPersonKey === undefined) return {};
  const keys = personKeys(records, metadata);
  const person: LedgerEntry["person"] = {};
  for (const kind of PERSON_KEYS) {
    const hashes = keys[kind]?.map((value) => hashPersonKey(kind, value));
    if (hashes?.every((hash) => hash !== undefined)) person[kind] = hashes;
  }
  return { person };
}

function textsOf(objects: readonly unknown[], name: PersonKey): string[] {
  const values = objects.map((one) => (isObject(one) ? one[name] : undefined));
  // A number is no key by the API document; an event has it all the same.
  const texts = values.filter((value) => typeof value === "string" || typeof value === "number").map(String);
  return [...new Set(texts)].filter((text) => text !== "");
}
