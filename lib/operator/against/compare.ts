import { PAGE_SIZE } from "../../polling/index.ts";
import type { ListedResponse, ReadList } from "./read-list.ts";

// What a list of response ids lacks of a survey. Pure.

/**
 * What the service's list shows of a missing response that sets it apart:
 *
 * - `before`, `after`: it completed before, or after, everything that the list of ids has of the survey
 * - `late`: it completed late, behind newer ones that the list of ids has. Those that completed beside it in time are there
 * - `open`: the same, and it stood in the list meanwhile, open
 * - `tie`: it completed in the same second as another one that the list of ids has
 * - `moved`: it stood on a page that moved while this was read
 * - `unknown`: none of these, or several
 */
export const CAUSES = ["late", "open", "tie", "before", "after", "moved", "unknown"] as const;
export type Cause = (typeof CAUSES)[number];

/**
 * Compares a list with ids.
 *
 * @param newestGone the largest of the ids that no list shows; a page may have moved when it went
 */
export function compare({ rows }: Pick<ReadList, "rows">, ids: ReadonlyMap<number, number>, newestGone = 0) {
  const causeOf = causes(rows, ids, newestGone);
  const stateCount = (wanted: ListedResponse["state"]): number => rows.filter(({ state }) => state === wanted).length;
  const missing = rows.flatMap((row, i) => {
    if (row.state !== "completed" || ids.has(row.id)) return [];
    const { id: responseId, completed, page } = row;
    // The position is among those listed, oldest first.
    return [{ responseId, completed, position: i + 1, page, cause: causeOf(row) }];
  });
  return {
    ...{ listed: rows.length, completed: stateCount("completed"), open: stateCount("open") },
    // Not in the list of ids, and nobody can read whether they are completed.
    unreadable: rows.filter(({ id, state }) => state === "unreadable" && !ids.has(id)).length,
    yours: rows.filter(({ id }) => ids.has(id)).length,
    missing,
  };
}

type Dated = ListedResponse & { completed: string };
const isDated = (row: ListedResponse): row is Dated => row.state === "completed" && row.completed !== null;

function causes(
  rows: readonly ListedResponse[],
  ids: ReadonlyMap<number, number>,
  newestGone: number,
): (row: ListedResponse) => Cause {
  const dated = rows.filter(isDated);
  const { order, isById } = newestLast(dated);
  const places = new Map(order.map(({ id }, i) => [id, i]));
  const late = lateOnes(order, ids);
  const byLateness = Map.groupBy(order, ({ id }) => late.get(id));
  const lostFor = new Set(LATENESS.filter((lateness) => isLostFor(byLateness.get(lateness) ?? [], ids)));
  const seconds = secondsOf(dated, ids, places);
  const byTime = lostByTime(order, late, ids);
  const listsOpen = rows.some(({ state, wasOpen }) => state === "open" || wasOpen);
  /** Pages move up when one goes that stands nearer to the newest end. */
  const mayHaveMoved = ({ id }: Dated): boolean => newestGone > (isById ? id : 0);

  const certain = (row: Dated): Cause | undefined => {
    const { first, last } = seconds;
    if (first === undefined || last === undefined) return undefined;
    if (row.completed < first) return "before";
    if (row.completed > last) return "after";
    const lateness = late.get(row.id);
    if (seconds.has(row.completed)) {
      // One that was listed before it completed may have been read while it was open.
      const isTie = lateness === undefined && !listsOpen && !mayHaveMoved(row) && seconds.isBehindCursor(row);
      return isTie ? "tie" : undefined;
    }
    if (lateness === undefined || !lostFor.has(lateness) || byTime.has(row.id)) return undefined;
    // On the first page of the newest it never stood: no page that moved can have hidden it.
    const isLate = lateness === "below the first page" || (lateness === "behind yours" && !mayHaveMoved(row));
    if (!isLate) return undefined;
    return listsOpen ? "open" : "late";
  };
  return (row) => {
    if (row.wasOpen) return "open";
    return (isDated(row) ? certain(row) : undefined) ?? (row.moved ? "moved" : "unknown");
  };
}

/** The list with its newest end last; empty where nothing tells by what it is sorted. */
function newestLast(rows: readonly Dated[]): { order: readonly Dated[]; isById: boolean } {
  for (const key of ["id", "started", "completed"] as const) {
    for (const order of [rows, rows.toReversed()]) {
      const isSorted = order.every((row, at) => {
        const [before, here] = [(order[at - 1] ?? row)[key], row[key]];
        return before !== null && here !== null && before <= here;
      });
      if (isSorted) return { order, isById: key === "id" };
    }
  }
  return { order: [], isById: false };
}

/** Behind a newer one that is not in the list of ids either; behind one that is; the same, and behind a whole page of newer ones. */
const LATENESS = ["behind one", "behind yours", "below the first page"] as const;
type Lateness = (typeof LATENESS)[number];

/**
 * Whether these are missing for what they have in common: since the first one that is, more are missing than are not. Before that one
 * all may have been read at once, by another way.
 */
function isLostFor(rows: readonly Dated[], ids: ReadonlyMap<number, number>): boolean {
  const missing = rows.filter(({ id }) => !ids.has(id));
  const first = missing.reduce((least, { completed }) => (completed < least ? completed : least), LATEST);
  const since = rows.filter(({ completed }) => completed >= first);
  return 2 * missing.length > since.length;
}

/**
 * Late ones that may be missing for when they completed: of those that are not behind newer ones in `ids`, the one that completed next
 * before or after them is missing, and no cursor had gone past its place.
 */
function lostByTime(
  order: readonly Dated[],
  late: ReadonlyMap<number, Lateness>,
  ids: ReadonlyMap<number, number>,
): Set<number> {
  const lost = new Set<number>();
  const byTime = order.toSorted((a, b) => Number(a.completed > b.completed) - Number(a.completed < b.completed));
  for (const rows of [byTime, byTime.toReversed()]) {
    let isStretch = false;
    for (const { id } of rows) {
      const isInTime = (late.get(id) ?? "behind one") === "behind one";
      if (isInTime) isStretch = !ids.has(id);
      else if (isStretch) lost.add(id);
    }
  }
  return lost;
}

/** Which responses completed later than newer ones. */
function lateOnes(order: readonly Dated[], ids: ReadonlyMap<number, number>): Map<number, Lateness> {
  const late = new Map<number, Lateness>();
  const page = new EarliestPage();
  /** The earliest completion so far, of all and of those in `ids`. */
  let [all, yours] = [LATEST, LATEST];
  for (const { id, completed, records } of order.toReversed()) {
    if (completed > all) {
      const behindPage = page.isBefore(completed) ? "below the first page" : "behind yours";
      late.set(id, completed > yours ? behindPage : "behind one");
    }
    if (completed < all) all = completed;
    if (ids.has(id) && completed < yours) yours = completed;
    page.add(completed, records);
  }
  return late;
}

const LATEST = "\uffff";

/** Of the responses that were added those that completed first, as many as fill a page. */
class EarliestPage {
  private readonly rows: { completed: string; records: number }[] = [];
  private records = 0;

  add(completed: string, records: number): void {
    const behind = this.rows.findIndex((row) => row.completed > completed);
    if (behind < 0 && this.records >= PAGE_SIZE) return;
    this.rows.splice(behind < 0 ? this.rows.length : behind, 0, { completed, records });
    this.records += records;
    for (let last = this.rows.at(-1); last !== undefined && this.records - last.records >= PAGE_SIZE; ) {
      this.records -= last.records;
      this.rows.pop();
      last = this.rows.at(-1);
    }
  }

  /** Whether a whole page of them completed before this. */
  isBefore(completed: string): boolean {
    return this.records >= PAGE_SIZE && (this.rows.at(-1)?.completed ?? completed) < completed;
  }
}

function secondsOf(rows: readonly Dated[], ids: ReadonlyMap<number, number>, places: ReadonlyMap<number, number>) {
  const newest = new Map<string, number>();
  for (const { id, completed } of rows) {
    if (ids.has(id)) newest.set(completed, Math.max(newest.get(completed) ?? -1, places.get(id) ?? -1));
  }
  const sorted = [...newest.keys()].sort();
  const following = new Map(sorted.map((second, i) => [second, sorted[i + 1]]));
  return {
    first: sorted[0],
    last: sorted.at(-1),
    has: (second: string): boolean => newest.has(second),
    /**
     * Whether the cursor alone can have hidden it. Those of its second that were found stood there before it. And the next one that was found
     * is newer: had the reading gone on down to an older one meanwhile, it would have passed by that newer one as well.
     */
    isBehindCursor({ id, completed }: Dated): boolean {
      const place = places.get(id) ?? -1;
      const next = following.get(completed);
      return (newest.get(completed) ?? place) < place && (next === undefined || (newest.get(next) ?? -1) > place);
    },
  };
}
