import { endsWork, RangeUnreachableError } from "../errors.ts";
import type { PageRead } from "../ports.ts";
import {
  begin,
  type Course,
  giveOut,
  giveUp,
  goBack,
  goOn,
  type Look,
  positionOf,
  stand,
  stepBack,
  stepOver,
} from "./course.ts";
import { close, type Piece, type Seam } from "./join.ts";
import { createListEnd, type ListEnd, type ShortPageEnds } from "./list-end.ts";
import { endsHere } from "./other-order.ts";
import { type Page, toPage } from "./page.ts";
import { hasOnlyGrown, inDoubt, isSame } from "./second-look.ts";

export interface WalkOptions {
  /** The page to begin at. Behind page 1 the walk first looks for ground to stand on (R7). */
  from: number;
  /**
   * Contents: a seam is proved where something new stands across it. Coverage: all seams are, so that nothing can slip through between two pages, and pages are read
   * ahead.
   */
  proves: "contents" | "coverage";
  read: (page: number) => Promise<PageRead>;
  /** Reads the first page of the other order: it shows whether a list ends where a page fails (R9). */
  otherFirst: () => Promise<PageRead>;
  shortPageEnds: ShortPageEnds;
  /** The last page of the list when its end was looked for last; absent: it never was. */
  lastPage?: number | undefined;
  /** Pages that the list has at least, as far as one can tell by now: so far no page is read in vain. */
  knownPages?: () => number;
  /** Pages that have failed in three polls in a row: stepped over (R9), if need be after they were tried once more. */
  stepsOver?: { readonly pages: ReadonlySet<number>; tries: boolean } | undefined;
  /** Pages read at once, at most. Default: as many as R5 allows. */
  mostAhead?: number;
  /** Told of each page before anything is asked about its responses. */
  judge: (page: Page) => Promise<void>;
  /** Whether a response has still to be dealt with. */
  isNew: (responseId: number) => boolean;
  /** Whether nothing more is read behind this page. Default: the walk goes on to the end of the list. */
  isEnough?: (page: Page) => boolean;
  /** Whether the time is up: nothing more is read, and what is whole by its page is given out. */
  isTimeUp?: () => boolean;
  /** Whether a response was met before this walk: by an earlier part of it, or by the ledger. */
  isMet: (responseId: number) => boolean;
}

export interface WalkStep {
  page: Page;
  /** Responses that have ended before this page or on the one before it, also those that an open seam has cut. */
  pieces: Piece[];
  /** Where another walk may go on once these are dealt with (R7). */
  position: number;
  /** The round of pages that stood so at one moment; undefined where nothing is proved. */
  round: number | undefined;
  /** Whether nothing that was listed all the time can have slipped through so far; whether the list was seen to move. */
  covered: boolean;
  moved: boolean;
  /** Pages that were stepped over so far. */
  steppedOver: readonly number[];
  shortPageEnds: ShortPageEnds;
}

/**
 * How the end of the list was seen (R8). Two looks: it was looked at twice. Short page: it was taken from one, and nothing was looked for behind it. One look: where
 * nothing new stands before it.
 */
export type EndSeen = "two looks" | "short page" | "one look";

type SoFar = Pick<WalkStep, "covered" | "moved" | "steppedOver" | "shortPageEnds">;

/** How a walk has ended. Failed: a page could not be read, and is not known to be behind the end of the list. */
export type WalkEnd = Omit<WalkStep, "page"> & {
  /** The last page that holds records; 0 where the list is empty. */
  last: number;
} & (
    | { kind: "enough" | "time up" }
    /** Empty: page 1 holds nothing, whatever was read before. */
    | { kind: "end"; by: EndSeen; isEmpty: boolean }
    | { kind: "failed"; page: number; error: unknown }
  );

/**
 * Reads pages one after the other and joins their records to responses (R4 to R9).
 *
 * Each page is read, and read again before it is given out: the two reads of neighbours enclose one moment at which both were so (R5). Where a page has changed the
 * walk goes back to the page before it.
 */
export async function* walk(options: WalkOptions): AsyncGenerator<WalkStep, WalkEnd> {
  const covers = options.proves === "coverage";
  const course = begin(options.from);
  const end = createListEnd(options.shortPageEnds);
  const soFar = (): SoFar => ({
    covered: course.covered,
    moved: course.moved,
    steppedOver: course.steppedOver,
    shortPageEnds: end.shortPageEnds(),
  });
  const handOut = (page: Page, seam: Seam, round?: number): WalkStep => {
    const pieces = giveOut(course, page, seam);
    return { page, pieces, round, position: positionOf(course, page.number, options.isNew), ...soFar() };
  };
  /** `isEnd`: whether the list ends behind the last page given out. Else records at its end may go on behind it. */
  const atEnd = (isEnd: boolean): Omit<WalkStep, "page"> & { last: number } => {
    const { carry, furthest } = course;
    return { pieces: close(carry, isEnd), round: undefined, position: furthest, last: furthest, ...soFar() };
  };
  const isEnough = ({ page, ends }: Look): boolean => !ends && page !== undefined && options.isEnough?.(page) === true;

  for (;;) {
    await readOn(course, end, options);
    course.round += 1;
    const last = course.held.at(-1) ?? { number: course.next, ends: true };
    if (!course.onGround) {
      const [first = last] = course.held;
      if (first.ends || first.page === undefined || !isGround(first.page, course, options)) {
        goBack(course);
        continue;
      }
      stand(course);
    }
    const isTimeUp = !last.ends && !isEnough(last) && options.isTimeUp?.() === true;
    const isOver = last.ends || isEnough(last) || isTimeUp;
    // fault: edges-unproved
    const doubtful = isTimeUp ? [] : inDoubt(course, options.proves, options.isNew, isOver);
    const again = await Promise.all(
      course.held.map((one) => (doubtful.includes(one) ? look(one.number, options) : one)),
    );
    // Where the list has only got longer its last page and its end may read otherwise: that is no movement.
    const compared = hasOnlyGrown(course, again, end.shortPageEnds()) ? again.slice(0, -2) : again;
    const changed = compared.findIndex((now, i) => !isSame(now, course.held[i]));
    const isProved = doubtful.filter(({ ends }) => !ends).length > 1 || (covers && !isTimeUp);
    const seam = isProved ? "proved" : "open";
    const pages = course.held.slice(0, changed < 0 ? undefined : changed).filter(({ ends }) => !ends);
    learnEnd(end, course.held.slice(0, changed < 0 ? undefined : changed), doubtful);
    // How the last page goes on is known once the next one is read.
    for (const [i, { page }] of (isOver || changed >= 0 ? pages : pages.slice(0, -1)).entries()) {
      if (page !== undefined) yield handOut(page, i === 0 ? course.seam : seam, course.round);
    }
    const now = again[changed];
    if (now !== undefined) {
      if (stepBack(course, now.number, options.isNew)) continue;
      const { number, page, error = goneMeanwhile(number) } = now;
      if (page === undefined) {
        // It fails at each second look: what is whole by the first one goes out before that is told.
        const first = now.error === undefined ? undefined : course.held[changed]?.page;
        if (first !== undefined) yield handOut(first, "open");
        return { kind: "failed", page: number, error, ...atEnd(false) };
      }
      // The page moves at each look: it is given out as it is now, and nothing is proved of its edges.
      await options.judge(page);
      giveUp(course, number);
      yield handOut(page, "open");
      continue;
    }
    if (!isOver) {
      goOn(course, seam, covers ? (options.mostAhead ?? Number.POSITIVE_INFINITY) : 1, options.knownPages?.() ?? 0);
      continue;
    }
    if (last.isGuess === "stepped over") {
      stepOver(course, last.number);
      continue;
    }
    // fault: any-failure-is-end
    // fault: other-order-unasked
    if (last.error !== undefined && !(await endsHere(course.held.at(-2)?.page, course.carry, options.otherFirst)))
      return { kind: "failed", page: last.number, error: last.error, ...atEnd(false) };
    const by: EndSeen =
      last.isGuess === "behind the end" ? "short page" : doubtful.length > 0 ? "two looks" : "one look";
    // Behind a gap it is not the end of what stands before that.
    const isBehindLast = last.ends && (course.held.length > 1 || course.seam !== "open");
    if (last.ends) return { kind: "end", by, isEmpty: last.number === 1, ...atEnd(isBehindLast && by !== "one look") };
    return { kind: isTimeUp ? "time up" : "enough", ...atEnd(false) };
  }
}

function goneMeanwhile(page: number): RangeUnreachableError {
  return new RangeUnreachableError(`page ${page} is there at one look and gone at the next`, {
    retryable: true,
    hint: "What stands on the pages before it has gone out; the next poll tries again.",
  });
}

async function look(number: number, { read }: Pick<WalkOptions, "read">): Promise<Look> {
  try {
    const page = toPage(number, await read(number));
    return page === undefined ? { number, ends: true } : { number, page, ends: false };
  } catch (error) {
    if (endsWork(error)) throw error;
    return { number, error, ends: true };
  }
}

/** A page that is stepped over where it still fails. */
async function lookOver(number: number, options: WalkOptions): Promise<Look> {
  const steppedOver: Look = { number, ends: true, isGuess: "stepped over" };
  if (options.stepsOver?.tries !== true) return steppedOver;
  const now = await look(number, options);
  return now.error === undefined ? now : steppedOver;
}

/** Reads the next pages, up to the first that is none of the list. */
async function readOn(course: Course, end: ListEnd, options: WalkOptions): Promise<void> {
  const { stepsOver, proves, judge, isNew } = options;
  const numbers = Array.from({ length: course.ahead }, (_, i) => course.next + i);
  const looks = await Promise.all(
    numbers.map((number): Look | Promise<Look> =>
      stepsOver?.pages.has(number) === true ? lookOver(number, options) : look(number, options),
    ),
  );
  for (const one of looks) {
    const before = course.held.at(-1)?.page;
    // fault: repeated-page-is-new
    if (one.page !== undefined && end.repeats(one.page, before)) {
      one.ends = true;
      // The repeated page may be page 1, which a walk that began behind it does not know.
      if (!end.knowsFirst()) end.met(undefined, (await look(1, options)).page);
      const repeated = course.held.at(-1);
      if (repeated?.page !== undefined && end.repeats(repeated.page, undefined)) {
        repeated.ends = true;
        return;
      }
    }
    end.met(undefined, one.page);
    course.held.push(one);
    if (one.ends || one.page === undefined) return;
    await judge(one.page);
    const ending = one.page.runs.at(-1)?.responseId;
    // A walk looks behind a short page where all pages are read, where something new may be cut, and where the list was longer.
    const isWhereItWas = one.number >= (options.lastPage ?? Number.POSITIVE_INFINITY);
    const mayGuess = proves === "contents" && isWhereItWas && (ending === undefined || !isNew(ending));
    // fault: short-page-is-end
    if (mayGuess && end.isLast(one.page)) {
      course.held.push({ number: one.number + 1, ends: true, isGuess: "behind the end" });
      return;
    }
  }
}

/** Learns whether short pages are the last ones, from pages that were looked at before and after the one behind them. */
function learnEnd(end: ListEnd, stood: readonly Look[], doubtful: readonly Look[]): void {
  for (const [i, { page, ends, error, isGuess }] of stood.entries()) {
    const before = stood[i - 1];
    if (before === undefined || !doubtful.includes(before) || error !== undefined || isGuess !== undefined) continue;
    end.met(before.page, ends ? undefined : page);
  }
}

/**
 * Whether nothing new begins on such a page and something on it was met before: then all before it was dealt with (R7). Where the list has moved meanwhile, that has
 * to be something that this walk has handed out, if it has handed out anything. Other known responses may stand before any other page that is known.
 */
function isGround({ runs }: Page, { met, moved }: Course, { isNew, isMet }: WalkOptions): boolean {
  const ids = runs.map(({ responseId }) => responseId);
  const isKnown = (id: number): boolean => met.has(id) || ((!moved || met.size === 0) && isMet(id));
  // A page without any readable id tells nothing, and holds nobody back.
  return !ids.some(isNew) && (ids.length === 0 || ids.some(isKnown));
}
