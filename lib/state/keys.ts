import type { CheckedState, LedgerEntry, Role } from "../polling/index.ts";

/** Keys of the table's items, by section 5 of the design. */
export const sourceKey = (source: string): string => `SOURCE#${source}`;
export const surveyKey = (source: string, surveyId: number): string => `SURVEY#${source}#${surveyId}`;
export const ACCOUNT = "ACCOUNT";
export const SHARED = "SHARED";
export const MARK = "MARK";
export const roleKey = (role: Role): string => `ROLE#${role}`;
/** The lease of whoever asks for a token now. */
export const TOKEN = "ROLE#token";
export const COUNTS_PREFIX = "COUNTS#";
/** A thousand survey ids share an item. */
export const countsKey = (surveyId: number): string => `${COUNTS_PREFIX}${Math.floor(surveyId / 1_000)}`;
/** Begins the keys of all entries with a response id. */
const RESPONSES = "RESPONSE#";
export const responseKey = (id: LedgerEntry["id"]): string =>
  typeof id === "number" ? `${RESPONSES}${id}` : `RECORD#${id.slice("record-".length)}`;

/** Partition of the sparse index: what waits is asked for at each poll, and must not lie behind thousands of open ones. */
export const dueKey = (source: string, surveyId: number, kind: CheckedState): string =>
  kind === "waiting" ? surveyKey(source, surveyId) : `${surveyKey(source, surveyId)}#${kind}`;

/** The id in a ledger item's sort key. */
export function idOf(sk: string): LedgerEntry["id"] {
  return sk.startsWith("RECORD#") ? `record-${sk.slice("RECORD#".length)}` : Number(sk.slice(RESPONSES.length));
}

/** The last moment that a date can name, in epoch milliseconds: until then is a pause without an end of its own. */
export const FOREVER = 8_640_000_000_000_000;
