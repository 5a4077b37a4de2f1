import type { Change } from "../../events/index.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { classOf, digestOf, partsOf, type Run } from "../model/records.ts";
import type { Replaced } from "../model/response.ts";

// When the event of a response is replaced: the response reads otherwise than its event (R20).

/** Milliseconds between two readings that tell whether a change holds still. */
const APART = 60_000;
/** Readings in a row that all differ, after which only a full read looks at a response again. */
const RESTLESS = 3;

/** Told where nobody knows which of them differ. */
const ALL_CHANGES = ["answers", "facts", "records"] as const satisfies Change[];
const GROUPS = ["answers", "facts"] as const;

/** Whether an event is replaced at once: the response has more records. One that was told as deleted, and is listed again, takes that back. */
export function isShort({ records }: Run, { state, count, gone }: LedgerEntry): boolean {
  return state === "emitted" && count !== undefined && (records.length > count || gone?.told === true);
}

/** The groups in which a response differs from its event; none where that cannot be told. */
export function differences(run: Run, entry: LedgerEntry): Change[] {
  if (entry.state !== "emitted" || entry.digest === undefined || classOf(run) !== "completed") return [];
  const [now, told] = [partsOf(digestOf(run)), partsOf(entry.digest)];
  const changed: Change[] = GROUPS.filter((group) => now[group] !== told[group]);
  if (run.records.length !== entry.count) changed.push("records");
  // Subscribers may have what was to replace the event: nobody knows whether that went out. What the bus has refused they do not have.
  const isUnknown = entry.next !== undefined && entry.refusedRevision === undefined;
  return changed.length === 0 && isUnknown ? [...GROUPS] : changed;
}

/** The update of a response that has more records than its event, or whose event was taken back. */
export function grown(run: Run, entry: LedgerEntry, now: number): Replaced {
  const differs = differences(run, entry);
  return { entry, changes: differs.length > 0 ? differs : [...ALL_CHANGES], observedAt: now };
}

/** What comes of a reading that differs from the event: it is noted, it is told as it has held still, or neither. */
export type Seen = { kind: "noted"; entry: LedgerEntry } | { kind: "told"; replaces: Replaced } | { kind: "nothing" };

/**
 * A change is told once it has read the same twice, a minute apart at least. That a response has fewer records only full reads tell. So it is with one that has read
 * otherwise three times in a row.
 *
 * Example: answers differ at 10:00, and read the same at 10:02: they are told. Had they differed once more at 10:02, the reading of 10:02 would be the first one.
 */
export function seeChange(
  run: Run,
  entry: LedgerEntry,
  differs: Change[],
  { at, isFull }: { at: number; isFull: boolean },
): Seen {
  const { sight: before } = entry;
  const [digest, count] = [digestOf(run), run.records.length];
  if (!isFull && count < (entry.count ?? 0)) return { kind: "nothing" };
  if (before !== undefined && at < before.at + APART) return { kind: "nothing" };
  if (before?.digest === digest && before.count === count)
    return { kind: "told", replaces: { entry, changes: differs, observedAt: before.at } };
  const times = (before?.times ?? 0) + 1;
  if (times > RESTLESS && !isFull) return { kind: "nothing" };
  return { kind: "noted", entry: { ...entry, sight: { digest, count, at, times } } };
}
