import { isObject } from "../../json.ts";
import { type LedgerEntry, WITHOUT_RECORDS } from "../model/ledger-entry.ts";
import type { Details } from "../model/response.ts";
import type { Ports } from "../ports.ts";
import type { Survey } from "../survey.ts";

/** The part of a waiting or quarantined response that is kept, so that the list is not needed again. */
export interface Kept {
  records: unknown[];
  details: Details;
}

/** An item of the table holds at most 400 KB. */
const MOST_IN_ITEM = 100_000;

/** The fields of a ledger entry that hold `kept`, in the item itself or in the vault. */
export async function keep(
  survey: Survey,
  id: LedgerEntry["id"],
  digest: string,
  kept: Kept,
): Promise<Pick<LedgerEntry, "kept" | "keptKey">> {
  if (Buffer.byteLength(JSON.stringify(kept)) <= MOST_IN_ITEM) return { kept };
  const keptKey = `kept/${survey.source.name}/${survey.id}/${id}/${digest}.json`;
  await survey.ports.vault.put(keptKey, kept);
  return { keptKey };
}

/** The part of an entry that was kept; undefined when it is gone. */
export async function takeOut(survey: { ports: Pick<Ports, "vault"> }, entry: LedgerEntry): Promise<Kept | undefined> {
  const kept = entry.keptKey === undefined ? entry.kept : await survey.ports.vault.get(entry.keptKey);
  if (!isObject(kept) || !Array.isArray(kept.records) || kept.records.length === 0) return undefined;
  return { records: kept.records, details: isObject(kept.details) ? kept.details : {} };
}

/** An entry that has lost its records and so cannot go out. As an open one it is new again to the next reading that meets it, or to a re-check. */
export function withoutRecords({ id }: Pick<LedgerEntry, "id">, now: number): LedgerEntry {
  return { id, state: "open", reason: WITHOUT_RECORDS, firstSeen: now, nextCheck: now };
}

/** Milliseconds from one look for records whose time is over to the next. */
const LOOK_EVERY = 3_600_000;
const AT_ONCE = 100;

/** Epoch milliseconds until which the records of a response quarantined now are kept. */
export function keptUntil(survey: Survey): number {
  return survey.ports.clock.now() + survey.source.retention.quarantine;
}

/** In these states an entry keeps records for a redrive. */
const KEPT = ["quarantined", "refused"] as const;

/** Drops the kept records of quarantined and refused entries whose time is over, some at each poll. The entries stay, with their reasons. */
export async function dropExpired(survey: Survey): Promise<void> {
  const { clock, state, vault } = survey.ports;
  const now = clock.now();
  if (now < (survey.state.expiryLook ?? 0)) return;
  const due = (await Promise.all(KEPT.map((kind) => state.due(survey.id, kind, now, AT_ONCE)))).flat();
  if (due.length < AT_ONCE) survey.note({ kind: "expiry look", at: now + LOOK_EVERY });
  // The index lags behind: what has gone out or was put back may still stand in it. Refused once more after a redrive, it has a time of its own.
  const known = await survey.entries(due.map(({ id }) => id));
  const expired = due.filter(({ id, state, firstSeen }) => {
    const there = known.get(id);
    return there?.state === state && there.firstSeen === firstSeen;
  });
  const bare = expired.map(async ({ kept: _, keptKey, nextCheck: __, ...entry }) => {
    // The object goes first: an entry without the key would leave it behind.
    if (keptKey !== undefined) await vault.delete(keptKey);
    return entry;
  });
  // One whose object could not be deleted stays due.
  const dropped = (await Promise.allSettled(bare)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  await survey.write(dropped);
}
