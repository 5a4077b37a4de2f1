import { eventId } from "../events/index.ts";
import { FORGOTTEN, type LedgerEntry } from "../polling/index.ts";
import { CLAIM_CHECKS } from "../publisher/claim-check.ts";

/** The fields of a forgotten response that stay: that it is settled. `gone` too, so that its deletion is not told twice. */
const STAYS = new Set<string>(["id", "state", "reason", "eventId", "revision", "gone"] satisfies (keyof LedgerEntry)[]);

/**
 * The entry of a forgotten response. One that went out keeps the id of its event, which the digest of the books counts. It keeps no digest
 * and no count: without them no reading of it differs, and its event is never replaced. Any other one counts as before the start, and never
 * goes out.
 */
export function bareEntry({ id, state, eventId, revision, gone }: LedgerEntry): LedgerEntry {
  if (state !== "emitted") return { id, state: "before-start", reason: FORGOTTEN };
  return {
    id,
    state,
    reason: FORGOTTEN,
    ...(eventId === undefined ? {} : { eventId }),
    ...(revision === undefined ? {} : { revision }),
    ...(gone === undefined ? {} : { gone }),
  };
}

export function isForgotten({ reason }: Pick<LedgerEntry, "reason">): boolean {
  return reason === FORGOTTEN;
}

/** Whether an entry is forgotten, and holds no more than that. */
export function isBare(entry: LedgerEntry): boolean {
  return isForgotten(entry) && Object.keys(entry).every((name) => STAYS.has(name));
}

/** The beginnings of the keys of all objects that hold something of a response: its kept records, and the answers of its events. */
export function prefixesOf(
  source: string,
  surveyId: number,
  id: LedgerEntry["id"],
  { revision = 1, next }: Pick<LedgerEntry, "revision" | "next"> = {},
): string[] {
  const kept = `kept/${source}/${surveyId}/${id}/`;
  if (typeof id !== "number") return [kept];
  // One more may have been made ready for the bus, which did not take it.
  const last = Math.max(revision, next?.revision ?? 1);
  const revisions = Array.from({ length: last + 1 }, (_, i) => i + 1);
  return [kept, ...revisions.map((one) => `${CLAIM_CHECKS}${eventId(source, surveyId, id, one)}/`)];
}
