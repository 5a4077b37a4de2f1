import type { Change } from "../../events/index.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Group, Mark, Sight } from "../model/mark.ts";
import { classOf, digestOf, partsOf, type Run } from "../model/records.ts";

// Responses that read otherwise than their event (R20). A change is told once it has read the same twice, a minute apart.

/** Milliseconds between two readings that tell whether a change holds still. */
export const APART = 60_000;
/** Changes of a survey that are remembered at once, and for which a full pass waits. Further changes are left to a later walk. */
const MANY = 100;
const MOST_SIGHTS = 300;
/** Second readings in a row that differ from the first, by which a group of fields is volatile. */
const VOLATILE = 3;

/** Told where nobody knows which of them differ. */
const ALL_CHANGES = ["answers", "facts", "records"] as const satisfies Change[];
const GROUPS = ["answers", "facts"] as const satisfies Group[];

/** The groups in which a response differs from its event; none where that cannot be told. */
export function differences(run: Run, entry: LedgerEntry | undefined): Change[] {
  if (entry?.state !== "emitted" || entry.digest === undefined || classOf(run) !== "completed") return [];
  const [now, told] = [partsOf(digestOf(run)), partsOf(entry.digest)];
  const changed: Change[] = GROUPS.filter((group) => now[group] !== told[group]);
  if (run.records.length !== entry.count) changed.push("records");
  // Subscribers may have what was to replace the event: nobody knows whether that went out. What the bus has refused they do not have.
  const isUnknown = entry.next !== undefined && entry.refusedRevision === undefined;
  return changed.length === 0 && isUnknown ? [...GROUPS] : changed;
}

/** The groups that are to be told as changed, and when that was seen first (epoch milliseconds). */
export interface Changed {
  changes: Change[];
  observedAt: number;
}

/** The entry of an event that is to be replaced, and what differs from it. */
export interface Replaced extends Changed {
  entry: LedgerEntry;
}

/** The update of a response that has more records than its event, or whose event was taken back. */
export function grown(run: Run, entry: LedgerEntry, now: number): Replaced {
  const differs = differences(run, entry);
  return { entry, changes: differs.length > 0 ? differs : [...ALL_CHANGES], observedAt: now };
}

/**
 * Notes how a response reads that differs from its event, or did so at an earlier reading. Gives the groups that have changed for good, to be told now.
 *
 * Example: answers differ at 10:00, and read the same at 10:02: they are told. Had they differed once more at 10:02, the reading of 10:02 would be the first one,
 * and the next one after 10:03 the second.
 */
export function noteChange(mark: Mark, sight: Sight, differs: Change[]): Changed | undefined {
  const { changes = [] } = mark;
  const before = changes.find(({ id }) => id === sight.id);
  if (before !== undefined && sight.at < before.at + APART) return undefined;
  const others = changes.filter((one) => one !== before);
  const still = before === undefined ? [] : differs.filter((change) => isStill(change, before, sight));
  if (before !== undefined) noteVolatile(mark, before, sight);
  if (before !== undefined && still.length > 0) {
    // The change is kept until its event is out, whatever fails.
    keep(mark, [...others, { ...before, page: sight.page, order: sight.order }]);
    return { changes: still, observedAt: before.at };
  }
  const isNews = differs.some((change) => !isVolatile(mark, change));
  keep(mark, isNews ? [...others, sight].slice(0, MOST_SIGHTS) : others);
  return undefined;
}

/** Whether a full pass waits until those seen so far are told: with one page more, some would be forgotten. */
export function areManyChanges({ changes = [] }: Pick<Mark, "changes">): boolean {
  return changes.length >= MANY;
}

/** Forgets changes that are told by now. Also those of responses that were not met where they were seen last: these have moved, and a later walk meets them. */
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

/** Counts a group that never reads the same twice, so that it does not hide changes of the other one. */
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
