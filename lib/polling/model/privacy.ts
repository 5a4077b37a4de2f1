import { isIPv4, isIPv6 } from "node:net";
import { RECORD_FIELDS } from "../../events/build/extra.ts";
import { isText } from "../../events/build/fields.ts";
import { isObject } from "../../json.ts";
import { type LedgerEntry, PERSON_KEYS, type PersonKey } from "./ledger-entry.ts";

export interface Privacy {
  ip: "keep" | "truncate" | "drop";
  referrer: "keep" | "drop";
  comments: "keep" | "drop";
}

/**
 * A record without what may not leave the process: applied before it is kept anywhere. Undocumented fields may have the names of those of metadata.
 * Where comments are dropped all of them go: any may hold what a respondent wrote.
 */
export function privateRecord(record: unknown, privacy: Privacy): unknown {
  if (!isObject(record)) return record;
  if (privacy.comments === "keep") return privateMetadata(record, privacy);
  const documented = Object.fromEntries(Object.entries(record).filter(([name]) => RECORD_FIELDS.has(name)));
  return "comment" in documented ? { ...documented, comment: "" } : documented;
}

export function privateMetadata(body: unknown, privacy: Privacy): unknown {
  if (!isObject(body) || (privacy.ip === "keep" && privacy.referrer === "keep")) return body;
  const kept = { ...body };
  if (privacy.ip !== "keep" && kept.ip !== undefined) {
    kept.ip = privacy.ip === "truncate" && isText(kept.ip) ? truncateIp(kept.ip) : null;
  }
  if (privacy.referrer === "drop" && kept.referrer !== undefined) kept.referrer = null;
  return kept;
}

/** IPv4 without its last 8 bits, IPv6 without its last 80; null when it is neither. */
export function truncateIp(ip: string): string | null {
  if (isIPv4(ip)) return ip.replace(/\d+$/, "0");
  if (!isIPv6(ip)) return null;
  // An IPv4 address in the form of IPv6 has all of the person in its last 32 bits.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return truncateIp(mapped);
  return `${expandIpv6(ip).slice(0, 3).join(":")}::`;
}

function expandIpv6(ip: string): string[] {
  const [head = "", tail] = (ip.split("%")[0] ?? "").split("::");
  const left = head === "" ? [] : head.split(":");
  if (tail === undefined) return left;
  const right = tail === "" ? [] : tail.split(":");
  return [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right];
}

/** Makes keyed hashes of keys of this kind; undefined where nobody is to be found by them. */
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
