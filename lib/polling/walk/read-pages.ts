import { endsWork, RangeUnreachableError } from "../errors.ts";
import type { Run } from "../model/records.ts";
import type { PageRead } from "../ports.ts";
import { isFull, PAGE_SIZE, type Page, toPage } from "./page.ts";
import { type Boundary, type Fragment, join } from "./whole.ts";

// Two ways to read the pages of a list (R5). A full read proves each boundary; a scan proves those at which something new stands.

/** Pages of one window, at most. */
const MOST_AT_ONCE = 12;
/** Changes beyond the pages that a read has come further since, after which a page is given out as it is. */
const MOST_CHANGES = 6;

/** One look at a page number. */
type Look = { number: number } & (
  | { kind: "page"; page: Page }
  | { kind: "none" }
  | { kind: "failed"; error: unknown }
  | { kind: "skipped" }
);

/** What has become of a read so far. */
export interface SoFar {
  /** Whether nothing that was listed all the time can have slipped through, but on a skipped page. */
  covered: boolean;
  /** Whether the list was seen to change. */
  moved: boolean;
  /** Pages that were skipped (R9). */
  skipped: readonly number[];
  /** Where another read may go on once all that was given out is dealt with (R7). */
  position: number;
}

/** A page that is given out, and the responses that have ended by it. */
export interface PageStep extends SoFar {
  kind: "page";
  page: Page;
  fragments: Fragment[];
  /** Pages that the list has at least, as far as one can tell by now; of a scan none. */
  knownPages: number;
  /** Whether a response stands on two pages that are no neighbours, in one window that has read the same twice (R12). */
  scattered: boolean;
}

/** The end of a read, and the responses that it leaves. `last`: the last page that holds records, 0 where none does. */
export type ReadEnd = SoFar & { fragments: Fragment[]; last: number } & (
    | { kind: "enough" | "time up" }
    | { kind: "end"; seen: EndSeen; isEmpty: boolean }
    | { kind: "failed"; page: number; error: unknown }
  );

/** How the end was seen: twice, by a page that is not full, by one that is skipped behind such a page, or once where nothing new stands before it (R8, R9). */
type EndSeen = "twice" | "short page" | "skipped" | "once";

/** The read has come to the end of the list. */
export type EndOfList = Extract<ReadEnd, { kind: "end" }>;

interface ReadOptions {
  from: number;
  read: (page: number) => Promise<PageRead>;
  skips: ReadonlySet<number>;
  /** Told of each page before anything is asked about its responses. */
  classify: (page: Page) => Promise<void>;
}

export interface FullReadOptions extends ReadOptions {
  /** Whether nothing has to be met again at its beginning. */
  isSure: boolean;
  /** The list at least, as far as one can tell: the responses that are counted, and its last page when that was looked for last. */
  expected: { responses: number; lastPage: number };
  /** Pages read at once, at most; one is always read. */
  mostAtOnce?: () => number;
  /** Whether all that stands before this page was met by this read. */
  isAnchor: (page: Page) => boolean;
}

/** Reads windows of pages, each twice. A page that stands in two windows joins them. */
export async function* readFull(options: FullReadOptions): AsyncGenerator<PageStep, ReadEnd> {
  const { expected, isAnchor, classify } = options;
  const course = new Course(options);
  /** What was given out so far: the counted responses fill pages as these do. Each has a record at least. */
  const met = { pages: 0, responses: 0 };
  const knownPages = (): number => {
    const each = met.responses === 0 ? 1 / PAGE_SIZE : met.pages / met.responses;
    return Math.max(expected.lastPage, Math.ceil(expected.responses * each));
  };
  let { isSure } = options;
  let [size, back] = [1, 1];
  const goTo = (page: number): void => {
    course.goTo(page);
    isSure = course.next === 1;
    size = 1;
  };
  for (;;) {
    // The last page given out is read again with those behind it.
    const { next, before, boundary } = course;
    const most = Math.max(1, Math.min(size, options.mostAtOnce?.() ?? size, knownPages() + 2 - next));
    const numbers = Array.from({ length: most }, (_, i) => next + i);
    if (before !== undefined) numbers.unshift(before.number);
    const firstReads = await Promise.all(numbers.map((number) => course.look(number)));
    const looks = cutBehindEnd(course.withRepeats(firstReads));
    // fault: edges-unproved
    // From the last to the first: of two replicas that answer in turn, each page comes from the other one now.
    const again = looks.toReversed().map((one) => (one.kind === "skipped" ? one : course.look(one.number)));
    const secondReads = course.withRepeats((await Promise.all(again)).reverse());
    const grown = hasOnlyGrown(looks, secondReads) ? 2 : 0;
    const changed = looks
      .slice(0, looks.length - grown)
      .findIndex((one, i) => !isSame(one, secondReads[i]) || (i === 0 && before !== undefined && !shows(one, before)));
    const stood = changed < 0 ? looks : looks.slice(0, changed);
    const [first] = stood;
    if (!isSure && first !== undefined) {
      if (first.kind === "none" || first.kind === "skipped" || (first.kind === "page" && !isAnchor(first.page))) {
        // fault: no-anchor-is-one
        goTo(first.number - back);
        back *= 2;
        continue;
      }
      isSure = true;
      back = 1;
    }
    const scattered = isScattered(stood);
    for (const [i, one] of stood.entries()) {
      if (one.kind !== "page" || (i === 0 && before !== undefined)) continue;
      await classify(one.page);
      const goesOn = course.carry.some(({ responseId }) => responseId === one.page.runs[0]?.responseId);
      met.pages += 1;
      met.responses += one.page.runs.length - (goesOn ? 1 : 0);
      yield { ...course.giveOut(one.page, i === 0 ? boundary : "proved", scattered), knownPages: knownPages() };
    }
    const now = changed < 0 ? undefined : (secondReads[changed] ?? looks[changed]);
    if (now !== undefined) {
      if (course.noteChange()) {
        // fault: goes-on-where-changed
        goTo(course.placeBefore(now));
        continue;
      }
      const given = await course.takeAsItIs(now);
      if (given.kind !== "page") return given;
      yield given;
      size = 1;
      continue;
    }
    const last = stood.at(-1);
    if (last === undefined) continue;
    const previous = pageOf(stood.at(-2)) ?? (stood.length === 1 ? before : undefined);
    if (last.kind === "page") {
      course.goOn(last.page, "proved");
      size = Math.min(MOST_AT_ONCE, size * 2);
      // fault: any-failure-is-end
    } else if (last.kind === "failed") return course.failed(last.number, last.error);
    else if (last.kind === "skipped" && (previous === undefined || isFull(previous))) {
      course.skip(last.number);
      size = 1;
    } else {
      const seen = last.kind === "skipped" ? "skipped" : "twice";
      return course.end(last.number, seen, last.number === 1 || (await course.isBehind(previous)));
    }
  }
}

export interface ScanReadOptions extends ReadOptions {
  /** Whether a response has still to be dealt with. */
  isNew: (responseId: number) => boolean;
  /** Whether nothing more is read behind this page. */
  isEnough: (page: Page) => boolean;
  isTimeUp: () => boolean;
}

/** Reads one page at a time. Both pages of a boundary are read again where something new stands across it. */
export async function* scanPages(options: ScanReadOptions): AsyncGenerator<PageStep, ReadEnd> {
  const { classify, isNew, isEnough, isTimeUp } = options;
  const course = new Course(options);
  const isNews = (page: Page | undefined): boolean => page?.runs.some(({ responseId }) => isNew(responseId)) === true;
  for (;;) {
    // The page read last is given out once the next one is read.
    const { next, before, boundary } = course;
    const one = course.withRepeats([await course.look(next)], before)[0] as Look;
    if (one.kind === "page") await classify(one.page);
    const endsNew = before !== undefined && isNew(before.runs.at(-1)?.responseId ?? Number.NaN);
    const isDoubtful =
      before !== undefined && one.kind === "page"
        ? isCut(before, one.page, isNew)
        : one.kind !== "page" && (one.kind === "failed" || before === undefined || isNews(before));
    const boundaryNow = isDoubtful ? await course.readAgain(before, one, endsNew) : "open";
    if (typeof boundaryNow === "object") {
      if (course.noteChange()) {
        course.goTo(course.placeBefore(boundaryNow));
        continue;
      }
      if (before !== undefined && boundaryNow.number !== before.number) yield course.giveOut(before, boundary);
      const given = await course.takeAsItIs(boundaryNow);
      if (given.kind !== "page") return given;
      yield given;
      continue;
    }
    if (before !== undefined) yield course.giveOut(before, boundary);
    if (one.kind === "failed") return course.failed(one.number, one.error);
    if (one.kind === "skipped" && (before === undefined || isFull(before))) {
      course.skip(one.number);
      continue;
    }
    if (one.kind !== "page") {
      const isBehindLast = one.number === 1 || (isDoubtful && (await course.isBehind(before)));
      const seen = one.kind === "skipped" ? "skipped" : "twice";
      return course.end(one.number, isDoubtful ? seen : "once", isBehindLast);
    }
    course.goOn(one.page, one.number === 1 ? "start" : boundaryNow);
    // A page that is read once more shows nothing new any more, but those behind it may.
    const isLast = one.number > course.furthest && isEnough(one.page);
    // fault: short-page-is-end
    const isShort = !isFull(one.page) && !isNew(one.page.runs.at(-1)?.responseId ?? Number.NaN);
    if (!isLast && !isShort && !isTimeUp()) continue;
    yield course.giveOut(one.page, course.boundary);
    if (isShort) return course.end(course.next, "short page", true);
    return course.stopped(isLast ? "enough" : "time up");
  }
}

/** Where a read stands, and what both ways of reading keep of the pages that they have given out. */
class Course {
  next = 1;
  /** The page read last, where the next one stands behind it. */
  before: Page | undefined;
  /** How the page after the last one given out meets that. */
  boundary: Boundary = "start";
  carry: readonly Fragment[] = [];
  covered = true;
  moved = false;
  skipped: number[] = [];
  /** The last page given out so far, and changes seen, less one for each page that it has come further since. */
  furthest = 0;
  private changes = 0;
  private first: string | undefined;
  private readonly options: ReadOptions;

  constructor(options: ReadOptions) {
    this.options = options;
    this.goTo(options.from);
  }

  /** Reads on from a page, as if nothing had been read before it. */
  goTo(page: number): void {
    this.next = Math.max(1, page);
    this.before = undefined;
    this.boundary = this.next === 1 ? "start" : "open";
    this.carry = [];
  }

  goOn(page: Page, boundary: Boundary): void {
    this.before = page;
    this.next = page.number + 1;
    this.boundary = boundary;
  }

  /** Reads on behind a page. Nobody knows how the next one meets it. */
  private goBehind(page: number): void {
    this.next = page + 1;
    this.before = undefined;
    this.boundary = "open";
  }

  skip(page: number): void {
    this.skipped.push(page);
    this.goBehind(page);
  }

  /** Where to read on after a change: before the page that has changed, and where what goes on behind the last page given out begins. */
  placeBefore({ number }: Look): number {
    return Math.min(number - 1, ...this.carry.map(({ page }) => page));
  }

  /** Gives out a page that never holds still. What it shows of its boundaries proves nothing. */
  async takeAsItIs(now: Look): Promise<PageStep | ReadEnd> {
    if (now.kind !== "page")
      return this.failed(now.number, now.kind === "failed" ? now.error : goneMeanwhile(now.number));
    await this.options.classify(now.page);
    this.covered = false;
    const step = this.giveOut(now.page, "open");
    this.goBehind(now.number);
    return step;
  }

  async look(number: number): Promise<Look> {
    const { read, skips } = this.options;
    try {
      const page = toPage(number, await read(number));
      if (number === 1) this.first = page?.signature;
      return page === undefined ? { kind: "none", number } : { kind: "page", number, page };
    } catch (error) {
      if (endsWork(error)) throw error;
      return skips.has(number) ? { kind: "skipped", number } : { kind: "failed", number, error };
    }
  }

  /**
   * Reads a page of a scan again, and the one before it where something new stands at their boundary: that is proved, or stays open. Gives what has changed. Of two replicas
   * that answer in turn each page comes from the other one now, as the later page is read first.
   */
  async readAgain(before: Page | undefined, one: Look, endsNew: boolean): Promise<"proved" | "open" | Look> {
    // fault: end-seen-once
    const rereadsBefore = before !== undefined && (one.kind === "page" || endsNew);
    const [again, beforeNow] = await Promise.all([
      this.look(one.number),
      rereadsBefore ? this.look(before.number) : undefined,
    ]);
    if (before === undefined || beforeNow === undefined) {
      const [now = again] = this.withRepeats([again], before);
      return isSame(one, now) ? "open" : now;
    }
    const [now = again] = this.withRepeats([again], pageOf(beforeNow));
    if (hasOnlyGrown([{ kind: "page", page: before, number: before.number }, one], [beforeNow, now])) return "proved";
    if (!shows(beforeNow, before)) return beforeNow;
    return isSame(one, now) ? "proved" : now;
  }

  /** Some services show a page again behind their last one: the one before it, or page 1. `before`: the page before the first of these. */
  withRepeats(looks: Look[], before?: Page): Look[] {
    let previous = before?.signature;
    return looks.map((one) => {
      if (one.kind !== "page") return one;
      const { signature } = one.page;
      // fault: repeated-page-is-new
      const isRepeated = one.number > 1 && (signature === previous || signature === this.first);
      previous = signature;
      return isRepeated ? { kind: "none", number: one.number } : one;
    });
  }

  /** Whether the list ends with a page. A read that has begun behind page 1 may have met that again behind the end. */
  async isBehind(last: Page | undefined): Promise<boolean> {
    if (last === undefined) return false;
    if (this.first === undefined) await this.look(1);
    return last.number === 1 || last.signature !== this.first;
  }

  giveOut(page: Page, boundary: Boundary, scattered = false): PageStep {
    const { fragments, carry } = join(this.carry, { page: page.number, runs: page.runs, boundary });
    this.carry = carry;
    if (page.number > this.furthest) {
      this.furthest = page.number;
      this.changes = Math.max(0, this.changes - 1);
    }
    return { kind: "page", page, fragments, scattered, knownPages: 0, ...this.soFar(page.number) };
  }

  /** Notes that something has changed. False where that has happened so often that a page is given out as it is. */
  noteChange(): boolean {
    this.moved = true;
    this.changes += 1;
    return this.changes <= MOST_CHANGES;
  }

  end(number: number, seen: EndSeen, isBehindLast: boolean): ReadEnd {
    const fragments = this.carry.map((one) => (isBehindLast && seen !== "once" ? { ...one, ends: true } : one));
    return { kind: "end", seen, isEmpty: number === 1, ...this.rest(fragments) };
  }

  stopped(kind: "enough" | "time up"): ReadEnd {
    // Nothing was read beside the last page: it is left, but for the only one.
    const isLeft = kind === "time up" && this.furthest > this.options.from;
    return { kind, ...this.rest(isLeft ? [] : [...this.carry]) };
  }

  failed(page: number, error: unknown): ReadEnd {
    return { kind: "failed", page, error, ...this.rest([...this.carry]) };
  }

  private rest(fragments: Fragment[]) {
    return { fragments, last: this.furthest, ...this.soFar(this.furthest) };
  }

  private soFar(page: number): SoFar {
    const { covered, moved, skipped, carry } = this;
    return { covered, moved, skipped, position: Math.min(page, ...carry.map((one) => one.page)) };
  }
}

function goneMeanwhile(page: number): RangeUnreachableError {
  return new RangeUnreachableError(`page ${page} is there at one look and gone at the next`, {
    retryable: true,
    hint: "What stands on the pages before it has gone out; the next poll tries again.",
  });
}

function pageOf(look: Look | undefined): Page | undefined {
  return look?.kind === "page" ? look.page : undefined;
}

function cutBehindEnd(looks: Look[]): Look[] {
  const end = looks.findIndex(({ kind }) => kind !== "page");
  return end < 0 ? looks : looks.slice(0, end + 1);
}

function shows(look: Look | undefined, page: Page): boolean {
  return look?.kind === "page" && look.page.signature === page.signature;
}

function isSame(one: Look, other: Look | undefined): boolean {
  return one.kind === "page" ? shows(other, one.page) : one.kind === other?.kind;
}

/** Whether some response stands on two of these pages that are no neighbours. */
function isScattered(looks: readonly Look[]): boolean {
  const lastAt = new Map<number, number>();
  for (const { number, page } of looks.flatMap((look) => (look.kind === "page" ? [look] : []))) {
    for (const { responseId } of page.runs) {
      if ((lastAt.get(responseId) ?? number) < number - 1) return true;
      lastAt.set(responseId, number);
    }
  }
  return false;
}

/** Whether something new stands at the boundary between two pages, or on both. */
function isCut(before: Page, page: Page, isNew: (responseId: number) => boolean): boolean {
  const there = new Set(page.runs.map(({ responseId }) => responseId));
  const atBoundary = [before.runs.at(-1)?.responseId, page.runs[0]?.responseId];
  if (atBoundary.some((id) => id !== undefined && isNew(id))) return true;
  return before.runs.some(({ responseId }) => isNew(responseId) && there.has(responseId));
}

/** Whether the list has only got longer since its last page was read, at its end: that is for the next read (R8). */
function hasOnlyGrown(looks: readonly Look[], again: readonly Look[]): boolean {
  const [last, end] = looks.slice(-2);
  const [lastNow, endNow] = again.slice(-2);
  if (last?.kind !== "page" || end?.kind !== "none" || endNow?.kind === "failed" || isFull(last.page)) return false;
  const runsOf = (look: Look | undefined): Run[] => (look?.kind === "page" ? look.page.runs : []);
  const before = last.page.runs;
  const now = [...runsOf(lastNow), ...runsOf(endNow)];
  const next = now[before.length];
  if (next === undefined || next.responseId === before.at(-1)?.responseId) return false;
  return before.every((run, i) => isSameRun(run, now[i]));
}

function isSameRun(one: Run, other: Run | undefined): boolean {
  const text = ({ records }: Run): string =>
    records
      .map(({ signature }) => signature)
      .sort()
      .join();
  return other !== undefined && one.responseId === other.responseId && text(one) === text(other);
}
