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
const WORKED_AT = 10;

/** Times as whole milliseconds, flags as 0 and 1; new fields come at the end, so that older rows stay readable. */
function rowToList({
  counts,
  polledAt,
  dueAt,
  unmet,
  trust,
  slowAt,
  slowEvery,
  passAt,
  passedAt,
  restedAt,
  workedAt,
  activeAt,
  booksAt,
  isBehind,
  known,
  found,
}: SurveyRow): (number | null)[] {
  const unmetList = [unmet.missing, unmet.owed, Number(unmet.seeking), unmet.restUntil];
  const trusted = [trust.misses, trust.hits, trust.unseen];
  const times = [slowAt, workedAt, activeAt];
  const rare = [isBehind === true ? 1 : null, known ?? null, found ?? null];
  const last = rare.slice(0, 1 + rare.findLastIndex((value) => value !== null));
  const slow = [booksAt ?? null, slowEvery, passAt, passedAt, restedAt, ...last];
  return [...counts, polledAt, dueAt ?? null, ...unmetList, ...times, ...trusted, Number(unmet.deep), ...slow];
}

function rowFromList(list: (number | null)[]): SurveyRow {
  const [responses = null, correct = null, unpaid = null, polledAt, dueAt, ...rest] = list;
  const [missing, owed, seeking, restUntil, slowAt, workedAt, activeAt, ...more] = rest;
  const [misses, hits, unseen, deep, booksAt, slowEvery, passAt, passedAt, restedAt, behind, known, found] = more;
  return {
    counts: [responses, correct, unpaid],
    polledAt: polledAt ?? 0,
    ...(dueAt === null || dueAt === undefined ? {} : { dueAt }),
    unmet: {
      missing: missing ?? 0,
      owed: owed ?? 0,
      seeking: (seeking ?? 0) > 0,
      restUntil: restUntil ?? 0,
      deep: deep === 1,
    },
    trust: { misses: misses ?? 0, hits: hits ?? 0, unseen: unseen ?? 0 },
    slowAt: slowAt ?? 0,
    slowEvery: slowEvery ?? 1,
    passAt: passAt ?? 0,
    passedAt: passedAt ?? 0,
    restedAt: restedAt ?? 0,
    ...(booksAt === null || booksAt === undefined ? {} : { booksAt }),
    ...(behind === 1 ? { isBehind: true } : {}),
    ...(known === null || known === undefined ? {} : { known }),
    ...(found === null || found === undefined ? {} : { found }),
    workedAt: workedAt ?? polledAt ?? 0,
    activeAt: activeAt ?? polledAt ?? 0,
  };
}
