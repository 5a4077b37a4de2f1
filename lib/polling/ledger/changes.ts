import type { Change } from "../../events/index.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Group, Mark, Sight } from "../model/mark.ts";
import { classOf, digestOf, partsOf, type Run } from "../model/records.ts";

// Responses that read otherwise than their event (R20). A change is told once it has read the same twice, a minute apart.

/** Milliseconds between two readings that tell whether a change holds still. */
export const APART = 60_000;
/** Changes of a survey that are looked at together; what else has changed is met by a later walk. */
const MOST_SIGHTS = 100;
/** Second readings in a row that differ from the first, by which a group of fields is volatile. */
const VOLATILE = 3;

/** Told where nobody knows which of them differ. */
export const ALL_CHANGES = ["answers", "facts", "records"] as const satisfies Change[];
const GROUPS = ["answers", "facts"] as const satisfies Group[];

/** What of a response is not as its event has it; nothing where that cannot be told. */
export function differences(run: Run, entry: LedgerEntry | undefined): Change[] {
  if (entry?.state !== "emitted" || entry.digest === undefined || classOf(run) !== "completed") return [];
  const [now, told] = [partsOf(digestOf(run)), partsOf(entry.digest)];
  const changed: Change[] = GROUPS.filter((group) => now[group] !== told[group]);
  if (run.records.length !== entry.count) changed.push("records");
  // Subscribers may have what was to replace the event: nobody knows whether that went out.
  return changed.length === 0 && entry.next !== undefined ? [...GROUPS] : changed;
}

/** What is to be told as changed, and when that was seen first (epoch milliseconds). */
export interface Changed {
  changes: Change[];
  observedAt: number;
}

/**
 * Notes how a response reads of which something differs, or did when it was read before. Gives what has changed for good, to be told now.
 *
 * Example: answers differ at 10:00, and read the same at 10:02: they are told. Had they differed once more at 10:02, the reading of 10:02 would
 * be the first one, and the next one after 10:03 the second.
 */
export function noteChange(mark: Mark, sight: Sight, differs: Change[]): Changed | undefined {
  const { changes = [] } = mark;
  const before = changes.find(({ id }) => id === sight.id);
  if (before !== undefined && sight.at < before.at + APART) return undefined;
  const others = changes.filter((one) => one !== before);
  const still = before === undefined ? [] : differs.filter((change) => isStill(change, before, sight));
  if (before !== undefined) noteVolatile(mark, before, sight);
  const isNews = still.length === 0 && differs.some((change) => !isVolatile(mark, change));
  keep(mark, isNews ? [...others, sight].slice(0, MOST_SIGHTS) : others);
  return before === undefined || still.length === 0 ? undefined : { changes: still, observedAt: before.at };
}

/** Forgets what was not met where it was seen last: it has moved, and a later walk meets it. */
export function forgetSights(mark: Mark, sights: readonly Sight[]): void {
  keep(
    mark,
    (mark.changes ?? []).filter((one) => !sights.includes(one)),
  );
}

function keep(mark: Mark, changes: Sight[]): void {
  if (changes.length > 0) mark.changes = changes;
  else delete mark.changes;
}

function isStill(change: Change, before: Sight, now: Sight): boolean {
  if (change === "records") return before.count === now.count;
  return partsOf(before.digest)[change] === partsOf(now.digest)[change];
}

/** Counts what never reads the same twice: it hides nothing of what does. */
function noteVolatile(mark: Mark, before: Sight, now: Sight): void {
  const counts = mark.volatile ?? {};
  for (const group of GROUPS) {
    if (isStill(group, before, now)) delete counts[group];
    else counts[group] = (counts[group] ?? 0) + 1;
  }
  if (Object.keys(counts).length > 0) mark.volatile = counts;
  else delete mark.volatile;
}

function isVolatile({ volatile = {} }: Mark, change: Change): boolean {
  return change !== "records" && (volatile[change] ?? 0) >= VOLATILE;
}
