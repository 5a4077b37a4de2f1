import { mix } from "../engine/random.ts";
import type { CutPage, Json, Traits } from "./survey-model.ts";

// What ties on the sort key stands in another order at each read of a page. The list is cut into pages before that, so no record
// changes its page by it: a service that orders ties anew over all pages has cuts that nobody can see.

/** Whether the sort key leaves open which of two responses next to each other comes first: it does so of three at most. */
export function mayTie(one: number, other: number): boolean {
  return Math.floor(one / 3) === Math.floor(other / 3);
}

export const tiesResponses = (ties: Traits["ties"]): boolean => ties === "responses" || ties === "both";
const tiesRecords = (ties: Traits["ties"]): boolean => ties === "records" || ties === "both";

type TieTraits = Pick<Traits, "ties" | "sortKey" | "layout">;

/** The records of a page as one read of it shows them; `turn` is another number at each read. */
export function turned(page: CutPage, { ties, sortKey, layout }: TieTraits, turn: number): Json[] {
  if (ties === "none") return page.records.slice();
  let runs = runsOf(page.records);
  if (tiesRecords(ties)) runs = runs.map((run) => rotated(run, turn));
  if (tiesResponses(ties) && layout === "contiguous") {
    // A response that goes on on another page is at the edge in each order.
    const first = isOfOne(page.before, page.records[0]) ? 1 : 0;
    const end = runs.length - (isOfOne(page.records.at(-1), page.behind) ? 1 : 0);
    const whole = tiesOf(runs.slice(first, end), sortKey).flatMap((tie) => rotated(tie, mix(turn, tie.length)));
    runs = [...runs.slice(0, first), ...whole, ...runs.slice(Math.max(first, end))];
  }
  return runs.flat();
}

function isOfOne(one: Json | undefined, other: Json | undefined): boolean {
  return one !== undefined && other !== undefined && one.responseId === other.responseId;
}

/** Records of one response that stand together. */
function runsOf(records: readonly Json[]): Json[][] {
  const runs: Json[][] = [];
  for (const record of records) {
    const last = runs.at(-1);
    if (isOfOne(last?.[0], record)) last?.push(record);
    else runs.push([record]);
  }
  return runs;
}

/** Runs next to each other whose order the sort key leaves open. */
function tiesOf(runs: Json[][], sortKey: Traits["sortKey"]): Json[][][] {
  const ties: Json[][][] = [];
  let last: Json | undefined;
  for (const run of runs) {
    const [record] = run;
    if (last !== undefined && record !== undefined && isTie(last, record, sortKey)) ties.at(-1)?.push(run);
    else ties.push([run]);
    last = record;
  }
  return ties;
}

/** In a list sorted by a date only those of one date tie. */
export function isTie(one: Json, other: Json, sortKey: Traits["sortKey"]): boolean {
  const [id, otherId] = [Number(one.responseId), Number(other.responseId)];
  // Records that belong to no response have no such number.
  if (!(id > 0 && otherId > 0) || !mayTie(id, otherId)) return false;
  return sortKey === "responseId" || one[sortKey] === other[sortKey];
}

function rotated<T>(list: T[], turn: number): T[] {
  const by = turn % list.length;
  return [...list.slice(by), ...list.slice(0, by)];
}

const SIGNATURE = /#\d+$/;

/** Comments as an answer signs them with its number, where each read of a comment is another one. */
export function signed(records: readonly Json[], read: number): Json[] {
  return records.map((record) => {
    const { comment } = record;
    return typeof comment === "string" && comment !== "" ? { ...record, comment: `${comment}#${read}` } : record;
  });
}

/** A comment without what is another one in each answer. */
export const unsigned = (comment: unknown): unknown =>
  typeof comment === "string" ? comment.replace(SIGNATURE, "") : comment;
