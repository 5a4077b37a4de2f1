import {
  classOf,
  isBefore,
  isSingleOnly,
  type LedgerEntry,
  readRecord,
  type Survey,
  takeOut,
  withoutRecords,
} from "../polling/index.ts";

/** Why a response stays set aside. */
export type Stays =
  /** Still not readable, or of a survey whose records may lie apart: only the list can tell all that belongs to them. */
  | "unreadable"
  /** Never readable, and its records were dropped after `retention.quarantine`. */
  | "withoutRecords"
  /** Readable by now, and history: the next reading that meets it settles it. */
  | "beforeStart";

/** The entry of a response that is put back on its way, or why it stays where it is. */
export async function putBackAs(survey: Survey, entry: LedgerEntry): Promise<LedgerEntry | Stays> {
  const { ports, start } = survey;
  if (entry.state === "emitted") return shortAgain(entry);
  const kept = await takeOut(survey, entry);
  const isRefused = entry.state === "refused";
  // No walk would ever take what the bus has refused. The service may list it still.
  if (kept === undefined) return isRefused ? withoutRecords(entry, ports.clock.now()) : "withoutRecords";
  if (isRefused) return waiting(entry, ports.clock.now());
  // A single record, of whatever response: only the list has all of that. The same holds where records may lie apart.
  if (typeof entry.id !== "number" || isSingleOnly(survey)) return "unreadable";
  const run = { responseId: entry.id, records: kept.records.map((record) => readRecord(record)) };
  if (classOf(run) !== "completed") return "unreadable";
  const now = ports.clock.now();
  return isBefore(run, { start, now }) ? "beforeStart" : waiting(entry, now);
}

/** An entry whose event has fewer records than the service lists: the reading that meets it next replaces it. */
function shortAgain({ refusedRevision: _, attempts: __, ...entry }: LedgerEntry): LedgerEntry {
  return { ...entry, count: 0 };
}

/** An entry whose patience begins anew. */
function waiting({ id, digest, count, kept, keptKey, person }: LedgerEntry, now: number): LedgerEntry {
  const begun = { reason: "redriven", origin: "replay", firstSeen: now, attempts: 0, nextCheck: now } as const;
  return { id, state: "waiting", digest, count, kept, keptKey, person, ...begun };
}

/** Why an entry was set aside: of a refused event, or one whose replacement was refused, the code of the bus. */
export function reasonOf({ reason, refusedRevision }: Pick<LedgerEntry, "reason" | "refusedRevision">): string {
  return refusedRevision ?? reason ?? "unknown";
}
