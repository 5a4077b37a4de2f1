import type { ReadRecord, Run } from "../model/records.ts";

/**
 * How a page meets what was read before it. Start: it is the first page of the list. Proved: both pages stood beside each other at one moment. Open: nobody knows what
 * lies between them.
 */
export type Boundary = "start" | "proved" | "open";

/** The records of one response, as far as the pages read show them beside each other. */
export interface Fragment {
  responseId: number;
  records: ReadRecord[];
  /** The page on which it begins. */
  page: number;
  /** Whether no record of it is missing before these, and none behind them (R4, R6). */
  begins: boolean;
  ends: boolean;
  /** Whether it was joined across a proved boundary. */
  across: boolean;
}

export interface JoinStep {
  page: number;
  runs: readonly Run[];
  boundary: Boundary;
}

/**
 * Joins one more page to what was read before it: gives the responses that have ended by then, and those of this page, which may go on behind it.
 *
 * A response inside a page is whole by its page (R4). If the page beside it shows it as well, both parts are joined across a proved boundary, wherever they stand. At an
 * open one nothing is joined, and a response at it, or on both of its sides, is not whole.
 *
 * Equal records on both sides of a boundary prove nothing (R6): the second page may come from a copy of the list that is behind. They are taken once. So it is with
 * records that are open on one side and completed on the other.
 */
export function join(
  carry: readonly Fragment[],
  { page, runs, boundary }: JoinStep,
): { fragments: Fragment[]; carry: Fragment[] } {
  const shown = new Map<number, Fragment>();
  for (const [i, { responseId, records }] of runs.entries()) {
    const before = shown.get(responseId);
    const isInside = i < runs.length - 1;
    const begins = before?.begins ?? (i > 0 || boundary !== "open");
    const all = before === undefined ? records : [...before.records, ...records];
    shown.set(responseId, { responseId, records: all, page, begins, ends: isInside, across: false });
  }
  const fragments: Fragment[] = [];
  for (const one of carry) {
    const next = shown.get(one.responseId);
    if (next === undefined) fragments.push(boundary === "proved" ? { ...one, ends: true } : one);
    else if (boundary === "proved") {
      const shownBefore = new Set(one.records.map(({ signature }) => signature));
      const further = next.records.filter(({ signature }) => !shownBefore.has(signature));
      const isRepeated = further.length < next.records.length;
      const isOfOneMoment = one.records.at(-1)?.completed === next.records[0]?.completed;
      shown.set(one.responseId, {
        ...next,
        // fault: cut-not-joined
        records: [...one.records, ...further],
        page: one.page,
        // fault: shown-twice-taken-twice
        begins: one.begins && !isRepeated && isOfOneMoment,
        across: true,
      });
    } else {
      fragments.push({ ...one, ends: false });
      shown.set(one.responseId, { ...next, begins: false });
    }
  }
  return { fragments, carry: [...shown.values()] };
}

export function isWhole({ begins, ends }: Fragment): boolean {
  return begins && ends;
}
