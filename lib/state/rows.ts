import { isOutdated, LONGEST_OVERLAP, type SurveyRow } from "../polling/index.ts";
import { updateItem } from "./attributes.ts";
import { ITEM_VERSION, otherVersion } from "./item-version.ts";
import { countsKey, sourceKey } from "./keys.ts";
import { type Item, readItem, type Table } from "./table-client.ts";

/** Rows changed by one update: an expression holds at most 4 KB, and 300 operators. */
const ROWS_AT_ONCE = 25;

type Rows = [surveyId: number, row: SurveyRow][];

/** Writes rows, but none over one that a tick beside this one has written since. */
export async function writeRows(table: Table, source: string, rows: Map<number, SurveyRow>): Promise<void> {
  const items = new Map<string, Rows>();
  for (const [surveyId, row] of rows) {
    const sk = countsKey(surveyId);
    items.set(sk, [...(items.get(sk) ?? []), [surveyId, row]]);
  }
  for (const [sk, all] of items) {
    for (let i = 0; i < all.length; i += ROWS_AT_ONCE) {
      await writeNewer(table, { pk: sourceKey(source), sk }, all.slice(i, i + ROWS_AT_ONCE));
    }
  }
}

async function writeNewer(table: Table, key: Item, rows: Rows): Promise<void> {
  for (let left = rows; left.length > 0 && !(await update(table, key, left)); ) {
    // One of them is outdated, or the item is: the others go without it.
    const standing = new Map<number, SurveyRow>();
    readRows(await readItem(table, key), standing);
    const newer = left.filter(([surveyId, row]) => !isOutdated(row, standing.get(surveyId)));
    if (newer.length === left.length) throw otherVersion();
    left = newer;
  }
}

async function update(table: Table, key: Item, rows: Rows): Promise<boolean> {
  const all: [string, unknown][] = [["v", ITEM_VERSION]];
  const conditions: string[] = [];
  const values: Item = {};
  for (const [surveyId, row] of rows) {
    const i = all.length;
    const writtenAt = Math.max(row.polledAt, row.workedAt);
    // A list, not a map: names would be most of the item.
    all.push([`s${surveyId}`, rowToList(row)]);
    // As `isOutdated` has it; what is not there is not between.
    const isLater = (place: number): string => `#a${i}[${place}] BETWEEN :b${i} AND :c${i}`;
    conditions.push(`NOT (${isLater(POLLED_AT)} OR ${isLater(WORKED_AT)})`);
    values[`:b${i}`] = writtenAt + 1;
    values[`:c${i}`] = writtenAt + LONGEST_OVERLAP;
  }
  return updateItem(table, key, all, { conditions, values });
}

/** The rows that an item holds. */
export function readRows(fields: Item, rows: Map<number, SurveyRow>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith("s") || !Array.isArray(value)) continue;
    rows.set(Number(name.slice(1)), rowFromList(value as (number | null)[]));
  }
}

/** Places in the list. */
const POLLED_AT = 3;
const WORKED_AT = 4;

const KINDS = ["recheck", "rescan", "full read"] as const;

/** Times as whole milliseconds, flags as 0 and 1. */
function rowToList({ counts, hint, rest, ...row }: SurveyRow): (number | null)[] {
  const { polledAt, workedAt, activeAt, dueAt, booksAt, isBehind, known, found, counted, failingSince } = row;
  const times = KINDS.flatMap((kind) => [rest[kind].at, rest[kind].every, rest[kind].triedAt]);
  // What is never due is not there.
  const work = times.map((time) => (Number.isFinite(time) ? time : null));
  const hinted = [hint?.missing, hint?.tries, hint?.nextAt];
  const told = [counted?.shown, counted?.at];
  const rare = [dueAt, booksAt, isBehind && 1, known, found, ...hinted, ...told, failingSince].map(
    (one) => one ?? null,
  );
  const last = rare.slice(0, 1 + rare.findLastIndex((value) => value !== null));
  return [...counts, polledAt, workedAt, activeAt, ...work, ...last];
}

function rowFromList(list: (number | null)[]): SurveyRow {
  const [responses = null, correct = null, unpaid = null, polledAt, workedAt, activeAt, ...more] = list;
  const rare = more.slice(3 * KINDS.length);
  const [dueAt, booksAt, behind, known, found, missing, tries, nextAt, shown, shownAt, failingSince] = rare;
  const rest = KINDS.map((kind, i) => {
    const [at, every, triedAt] = more.slice(3 * i, 3 * i + 3);
    return [kind, { at: at ?? Number.POSITIVE_INFINITY, every: every ?? 1, triedAt: triedAt ?? 0 }];
  });
  return {
    counts: [responses, correct, unpaid],
    rest: Object.fromEntries(rest) as SurveyRow["rest"],
    polledAt: polledAt ?? 0,
    workedAt: workedAt ?? 0,
    activeAt: activeAt ?? 0,
    ...(dueAt == null ? {} : { dueAt }),
    ...(booksAt == null ? {} : { booksAt }),
    ...(behind === 1 ? { isBehind: true } : {}),
    ...(known == null ? {} : { known }),
    ...(found == null ? {} : { found }),
    ...(failingSince == null ? {} : { failingSince }),
    ...(shown == null ? {} : { counted: { shown, at: shownAt ?? 0 } }),
    ...(missing == null ? {} : { hint: { missing, tries: tries ?? 0, nextAt: nextAt ?? 0 } }),
  };
}
