import { isObject } from "../../json.ts";
import { type LedgerEntry, PERSON_KEYS, type PersonKey } from "./ledger-entry.ts";

/** Gives what makes a keyed hash of keys of this kind; undefined where nobody is to be found by them. */
export type PersonHashes = (kind: PersonKey) => ((value: string) => string) | undefined;

/** The keys of a person in what is held of a response; undefined of a kind that is not known as long as the metadata are not. */
export function personKeys(records: readonly unknown[], metadata: unknown): Record<PersonKey, string[] | undefined> {
  return { crk: textsOf(records, "crk"), referrer: isObject(metadata) ? textsOf([metadata], "referrer") : undefined };
}

/** The field of an entry by which its person is found; none where that is not asked for. */
export function personOf(
  { personHashes }: { personHashes?: PersonHashes | undefined },
  records: readonly unknown[],
  metadata?: unknown,
): Pick<LedgerEntry, "person"> {
  if (personHashes === undefined) return {};
  const keys = personKeys(records, metadata);
  const person: LedgerEntry["person"] = {};
  for (const kind of PERSON_KEYS) {
    const [hash, values] = [personHashes(kind), keys[kind]];
    if (hash !== undefined && values !== undefined) person[kind] = values.map(hash);
  }
  return { person };
}

function textsOf(objects: readonly unknown[], name: PersonKey): string[] {
  const values = objects.map((one) => (isObject(one) ? one[name] : undefined));
  // A number is no key by the API document; an event has it all the same.
  const texts = values.filter((value) => typeof value === "string" || typeof value === "number").map(String);
  return [...new Set(texts)].filter((text) => text !== "");
}
