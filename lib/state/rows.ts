import type { SurveyRow } from "../polling/index.ts";
import { countsKey, sourceKey } from "./keys.ts";
import { type Item, setAttributes, type Table } from "./table-client.ts";

/** Rows changed by one update: an expression holds at most 4 KB, and 300 operators. */
const ROWS_AT_ONCE = 25;

/** Writes rows over those that stand. */
export async function writeRows(table: Table, source: string, rows: Map<number, SurveyRow>): Promise<void> {
  for (const [sk, all] of Map.groupBy(rows, ([surveyId]) => countsKey(surveyId))) {
    for (let i = 0; i < all.length; i += ROWS_AT_ONCE) {
      // A list, not a map: names would be most of the item.
      const rows = all.slice(i, i + ROWS_AT_ONCE).map(([id, row]): [string, unknown] => [`s${id}`, rowToList(row)]);
      await setAttributes(table, { pk: sourceKey(source), sk }, rows);
    }
  }
}

/** The rows that an item holds. */
export function readRows(fields: Item, rows: Map<number, SurveyRow>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith("s") || !Array.isArray(value)) continue;
    rows.set(Number(name.slice(1)), rowFromList(value as (number | null)[]));
  }
}

const KINDS = ["recheck", "rescan", "full read"] as const;

/** Times as whole milliseconds, flags as 0 and 1. */
function rowToList({ counts, hint, rest, ...row }: SurveyRow): (number | null)[] {
  const { polledAt, workedAt, dueAt, booksAt, isBehind, known, found, counted, failingSince } = row;
  const times = KINDS.flatMap((kind) => [rest[kind].at, rest[kind].every, rest[kind].triedAt]);
  // What is never due is not there.
  const work = times.map((time) => (Number.isFinite(time) ? time : null));
  const hinted = [hint?.missing, hint?.tries, hint?.nextAt];
  const rare = [dueAt, booksAt, isBehind && 1, known, found, ...hinted, counted?.shown, counted?.at, failingSince];
  const last = rare.slice(0, 1 + rare.findLastIndex((value) => value !== undefined)).map((one) => one ?? null);
  // The place behind them is that of a field which earlier code has written.
  return [...counts, polledAt, workedAt, null, ...work, ...last];
}

function rowFromList(list: (number | null)[]): SurveyRow {
  const [responses = null, correct = null, unpaid = null, polledAt, workedAt, _, ...more] = list;
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
