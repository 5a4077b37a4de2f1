import type { ReadRecord, Run } from "../model/records.ts";

/**
 * How a page meets what was read before it. Start: it is the first page of the list. Proved: both pages stood beside each other at one
 * moment. Open: nobody knows what lies between them.
 */
export type Seam = "start" | "proved" | "open";

/** The records of one response, as far as they stand beside each other. */
export interface Piece {
  responseId: number;
  records: ReadRecord[];
  /** The page on which it begins. */
  page: number;
  /** Whether no record of it is missing before these, and none behind them (R4, R6). */
  begins: boolean;
  ends: boolean;
  /** Whether one page has shown it in two places: its records lie apart (R12). */
  apart: boolean;
  /** Whether it was joined across a proved seam. */
  across: boolean;
  /** Records that equal one on the page before. They may be the same ones, or others. */
  repeated: ReadRecord[];
}

/** The responses of the page read last: each of them may go on behind it. */
export type Carry = readonly Piece[];

export interface JoinStep {
  page: number;
  runs: readonly Run[];
  seam: Seam;
}

/**
 * Joins one more page to what was read before it: gives the responses that have ended by then, and those that may go on.
 *
 * A response strictly inside a page is whole by its page (R4). If the page beside it shows it as well, both parts are joined across a proved seam, wherever they
 * stand. At an open seam nothing is joined, and a response at it, or on both of its sides, is not whole.
 *
 * Equal records on both sides of a seam prove nothing (R6): the second page may come from a copy of the list that is behind. They are taken once.
 */
export function join(carry: Carry, { page, runs, seam }: JoinStep): { pieces: Piece[]; carry: Carry } {
  const shown = new Map<number, Piece>();
  for (const [i, { responseId, records }] of runs.entries()) {
    const before = shown.get(responseId);
    const isInside = i > 0 || seam !== "open";
    if (before === undefined)
      shown.set(responseId, {
        responseId,
        records,
        page,
        begins: isInside,
        ends: i < runs.length - 1,
        apart: false,
        across: false,
        repeated: [],
      });
    else {
      shown.set(responseId, {
        ...before,
        records: [...before.records, ...records],
        ends: i < runs.length - 1 && before.ends,
        apart: true,
      });
    }
  }
  const pieces: Piece[] = [];
  for (const one of carry) {
    const next = shown.get(one.responseId);
    if (next === undefined) pieces.push(seam === "proved" ? { ...one, ends: true } : one);
    else if (seam === "proved") {
      const shownBefore = new Set(one.records.map(({ signature }) => signature));
      const further = next.records.filter(({ signature }) => !shownBefore.has(signature));
      const repeated = next.records.filter(({ signature }) => shownBefore.has(signature));
      shown.set(one.responseId, {
        ...next,
        // fault: cut-not-joined
        records: [...one.records, ...further],
        page: one.page,
        begins: one.begins && repeated.length === 0,
        // fault: shown-twice-taken-twice
        repeated: [...one.repeated, ...repeated],
        apart: one.apart || next.apart,
        across: true,
      });
    } else {
      pieces.push({ ...one, ends: false });
      shown.set(one.responseId, { ...next, begins: false });
    }
  }
  return { pieces, carry: [...shown.values()] };
}

/** The responses of the page read last, where nothing more is read; `isEnd`: whether the list ends with it. */
export function close(carry: Carry, isEnd: boolean): Piece[] {
  return carry.map((one) => (isEnd ? { ...one, ends: true } : one));
}

export function isWhole({ begins, ends }: Piece): boolean {
  return begins && ends;
}
