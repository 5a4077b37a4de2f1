import { endsWork, RangeUnreachableError } from "../errors.ts";
import type { PageRead } from "../ports.ts";
import { isFull, PAGE_SIZE, type Page, signatureOf, toPage } from "./page.ts";
import { type Boundary, type Fragment, join } from "./whole.ts";

// The pages of a list are looked at in two ways, and read on in one (R5). A full read proves each boundary; a scan proves those at which something new stands.

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

/** Pages beside each other, from the last one given out on, and what a second look has shown. Where there was none `again` is the first. */
interface Looks {
  looks: Look[];
  again: Look[];
  isTwice: boolean;
}

/** A page that is given out, or the end of a read, and the responses that have ended by it. */
export interface Step {
  /** None at the end. */
  page: Page | undefined;
  fragments: Fragment[];
  /** Whether a response stands on two pages that are no neighbours, in one window that has read the same twice (R12). */
  scattered: boolean;
  /** Whether nothing that was listed all the time can have slipped through so far, but on a skipped page. */
  covered: boolean;
  /** Whether the list was seen to change. */
  moved: boolean;
  /** Pages that were skipped (R9). */
  skipped: readonly number[];
  /** Where another read may go on once all that was given out is dealt with (R7). */
  position: number;
  /** Set on the last step. */
  end?: ReadEnd;
}

/** The end of a read. `last`: the last page that holds records, 0 where none does. */
export type ReadEnd = { last: number } & (
  | { kind: "over" }
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
  /** Told of pages before anything is asked about their responses. */
  classify: (pages: Page[]) => Promise<void>;
}

export interface FullReadOptions extends ReadOptions {
  kind: "full";
  /** The responses that are counted, and the last page of the list when its end was seen last; 0 where nothing is known of it. */
  expected: { responses: number; lastPage: number };
  /** Pages read at once, at most; one is always read. */
  mostAtOnce?: (() => number) | undefined;
  /** Whether all that stands before this page was met by this read. */
  isAnchor: (page: Page) => boolean;
}

export interface ScanOptions extends ReadOptions {
  kind: "scan";
  /** Whether a response has still to be dealt with. */
  isNew: (responseId: number) => boolean;
  /** Asked once a page further down than any before is dealt with: whether none is read behind it. */
  isOver: (page: number) => boolean;
}

/** Reads a list from a page on, to its end or a failure, or until a scan is over. */
export async function* readPages(options: FullReadOptions | ScanOptions): AsyncGenerator<Step, void> {
  const course = new Course(options);
  for (;;) {
    const { before, furthest } = course;
    const { looks, again, isTwice } = await course.lookOn();
    const { stood, change } = compare(looks, again, before);
    if (course.lacksAnchor(stood[0])) continue;
    const scattered = isScattered(stood);
    for (const [i, one] of stood.entries()) {
      if (one.kind !== "page" || (i === 0 && before !== undefined)) continue;
      yield course.giveOut(one.page, i > 0 && isTwice ? "proved" : "open", scattered);
    }
    if (change !== undefined && course.noteChange()) {
      // fault: goes-on-where-changed
      course.goBackBefore(change);
      continue;
    }
    if (change?.kind === "page") {
      yield await course.giveOutAsItIs(change.page);
      continue;
    }
    const last = change ?? stood.at(-1);
    const previous = change === undefined ? pageOf(stood.at(-2)) : undefined;
    if (last === undefined) continue;
    let end: Step | undefined;
    // fault: any-failure-is-end
    if (last.kind === "failed") end = course.failed(last.number, last.error);
    else if (last.kind === "skipped" && (previous === undefined || isFull(previous))) course.skip(last.number);
    else if (change !== undefined) end = course.failed(change.number, goneMeanwhile(change.number));
    else if (last.kind !== "page") {
      const seen = last.kind === "skipped" ? "skipped" : "twice";
      end = course.end(last, isTwice ? seen : "once", isTwice && (await course.isBehind(previous)));
    } else if (options.kind === "scan") {
      // fault: short-page-is-end
      const isShort = !isFull(last.page) && !options.isNew(last.page.runs.at(-1)?.responseId ?? Number.NaN);
      if (isShort) end = course.end(last, "short page", true);
      // A page that is read once more shows nothing new any more, but those behind it may.
      else if (last.number > furthest && options.isOver(last.number)) end = course.over();
    }
    if (end === undefined) continue;
    yield end;
    return;
  }
}

/** Where a read stands, and what it keeps of the pages that it has given out. */
class Course {
  /** The last page given out so far. */
  furthest = 0;
  /** The page given out last, where the next one stands behind it. */
  before: Page | undefined;
  private next = 1;
  private carry: readonly Fragment[] = [];
  private covered = true;
  private moved = false;
  private readonly skipped: number[] = [];
  /** Changes seen, less one for each page that the read has come further since. */
  private changes = 0;
  /** Pages of the next window. */
  private size = 1;
  /** Whether what stands before the next page was met, and how far to go back where it was not. */
  private isAnchored = true;
  private back = 1;
  /** The signature of page 1, once that was looked at. */
  private first: string | undefined;
  /** Pages given out, and responses that have ended by them. */
  private readonly given = { pages: 0, responses: 0 };
  private readonly options: FullReadOptions | ScanOptions;

  constructor(options: FullReadOptions | ScanOptions) {
    this.options = options;
    this.goTo(options.from);
  }

  /** Looks at the next pages, and at the last one given out beside them. */
  lookOn(): Promise<Looks> {
    return this.options.kind === "full" ? this.lookAtWindow(this.options) : this.lookAtNext(this.options);
  }

  /** All pages of a window are looked at once, then once more. */
  private async lookAtWindow({ expected, mostAtOnce, classify }: FullReadOptions): Promise<Looks> {
    const { before, next, size, given } = this;
    this.size = Math.min(MOST_AT_ONCE, size * 2);
    // The responses that are counted fill pages as those met so far do.
    const met = given.responses + this.carry.length;
    const byCount = Math.ceil(expected.responses * (met === 0 ? 1 / PAGE_SIZE : given.pages / met));
    const behindEnd = Math.max(expected.lastPage, byCount) + 1;
    const most = Math.max(1, Math.min(size, mostAtOnce?.() ?? size, behindEnd + 1 - next));
    const numbers = Array.from({ length: most }, (_, i) => next + i);
    if (before !== undefined) numbers.unshift(before.number);
    const looks = cutBehindEnd(this.withRepeats(await Promise.all(numbers.map((number) => this.look(number)))));
    // fault: edges-unproved
    const again = await this.lookAgain(looks);
    await classify(looks.flatMap((one) => (one.kind === "page" && one.number >= next ? [one.page] : [])));
    return { looks, again, isTwice: true };
  }

  /** The next page is looked at. Both pages are looked at again where something new stands across their boundary, or the end behind them. */
  private async lookAtNext({ classify, isNew }: ScanOptions): Promise<Looks> {
    const { before, next } = this;
    const there: Look[] = before === undefined ? [] : [{ kind: "page", number: before.number, page: before }];
    const looks = this.withRepeats([...there, await this.look(next)]);
    const one = looks.at(-1);
    const page = pageOf(one);
    if (page !== undefined) await classify([page]);
    const hasNews = before?.runs.some(({ responseId }) => isNew(responseId)) ?? true;
    const isCut = before !== undefined && page !== undefined && hasNewAcross(before, page, isNew);
    const isTwice = page === undefined ? one?.kind === "failed" || hasNews : isCut;
    // fault: end-seen-once
    const again = isTwice ? await this.lookAgain(looks) : looks;
    return { looks, again, isTwice };
  }

  private async look(number: number): Promise<Look> {
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

  /** From the last to the first: of two replicas that answer in turn, each page comes from the other one now. */
  private async lookAgain(looks: readonly Look[]): Promise<Look[]> {
    const again = looks.toReversed().map((one) => (one.kind === "skipped" ? one : this.look(one.number)));
    return this.withRepeats((await Promise.all(again)).reverse());
  }

  /** Some services show a page again behind their last one: the one before it, or page 1. */
  private withRepeats(looks: Look[]): Look[] {
    return looks.map((one, i) => {
      const before = pageOf(looks[i - 1]);
      // fault: repeated-page-is-new
      const mayRepeat = one.kind === "page" && one.number > 1;
      const isRepeated = mayRepeat && [before?.signature, this.first].includes(one.page.signature);
      return isRepeated ? { kind: "none", number: one.number } : one;
    });
  }

  /** Whether the list ends with a page. A read that has begun behind page 1 may have met that again behind the end. */
  async isBehind(last: Page | undefined): Promise<boolean> {
    if (last === undefined) return false;
    if (this.first === undefined) await this.look(1);
    return last.number === 1 || last.signature !== this.first;
  }

  /** Reads on from a page, as if nothing had been read before it. */
  private goTo(page: number): void {
    this.goBehind(page - 1);
    this.carry = [];
    this.isAnchored = this.options.kind === "scan" || this.next === 1;
  }

  /** Reads on behind a page. Nobody knows how the next one meets it. */
  private goBehind(page: number): void {
    this.next = Math.max(1, page + 1);
    this.before = undefined;
    this.size = 1;
  }

  /** Goes back where a full read has gone on at a page before which it has not met everything (R7). */
  lacksAnchor(first: Look | undefined): boolean {
    if (this.isAnchored || this.options.kind === "scan" || first === undefined) return false;
    const isAnchor = first.kind === "page" ? this.options.isAnchor(first.page) : first.kind === "failed";
    if (isAnchor) {
      this.isAnchored = true;
      this.back = 1;
      return false;
    }
    // fault: no-anchor-is-one
    this.goTo(first.number - this.back);
    this.back *= 2;
    return true;
  }

  /** Goes back to the page before the one that has changed, and before the one on which anything begins that may go on there. */
  goBackBefore({ number }: Look): void {
    this.goTo(Math.min(number, ...this.carry.map(({ page }) => page)) - 1);
  }

  /** Notes that something has changed. False where that has happened so often that a page is given out as it is. */
  noteChange(): boolean {
    this.moved = true;
    this.changes += 1;
    return this.changes <= MOST_CHANGES;
  }

  skip(page: number): void {
    this.skipped.push(page);
    this.goBehind(page);
  }

  /** Gives out a page, and what has ended by it. `boundary`: how it meets the page before it. */
  giveOut(page: Page, boundary: Boundary, scattered = false): Step {
    const meets = page.number === 1 ? "start" : boundary;
    const { fragments, carry } = join(this.carry, { page: page.number, runs: page.runs, boundary: meets });
    this.carry = carry;
    this.before = page;
    this.next = page.number + 1;
    this.given.pages += 1;
    this.given.responses += fragments.length;
    if (page.number > this.furthest) {
      this.furthest = page.number;
      this.changes = Math.max(0, this.changes - 1);
    }
    return this.step(page, fragments, scattered);
  }

  /** Gives out a page that never holds still. What it shows of its boundaries proves nothing. */
  async giveOutAsItIs(page: Page): Promise<Step> {
    await this.options.classify([page]);
    this.covered = false;
    const step = this.giveOut(page, "open");
    this.goBehind(page.number);
    return step;
  }

  end(last: Look, seen: EndSeen, ends: boolean): Step {
    const isEmpty = last.kind !== "page" && last.number === 1;
    const fragments = this.carry.map((one) => (ends ? { ...one, ends } : one));
    return { ...this.step(undefined, fragments), end: { kind: "end", seen, isEmpty, last: this.furthest } };
  }

  over(): Step {
    // Nothing was read beside the last page: it is left, but for the only one.
    const fragments = this.furthest > this.options.from ? [] : [...this.carry];
    return { ...this.step(undefined, fragments), end: { kind: "over", last: this.furthest } };
  }

  failed(page: number, error: unknown): Step {
    return { ...this.step(undefined, [...this.carry]), end: { kind: "failed", page, error, last: this.furthest } };
  }

  private step(page: Page | undefined, fragments: Fragment[], scattered = false): Step {
    const { covered, moved, skipped, carry, furthest } = this;
    const position = Math.min(furthest, ...carry.map((one) => one.page));
    return { page, fragments, scattered, covered, moved, skipped: [...skipped], position };
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

/** The looks up to the first page that has changed since it was looked at last; and what that one shows now. */
function compare(looks: Look[], again: Look[], before: Page | undefined): { stood: Look[]; change: Look | undefined } {
  const grown = hasOnlyGrown(looks, again) ? 2 : 0;
  const changed = looks
    .slice(0, looks.length - grown)
    .findIndex(
      (one, i) => !isSame(one, again[i]) || (i === 0 && before && pageOf(one)?.signature !== before.signature),
    );
  return changed < 0
    ? { stood: looks, change: undefined }
    : { stood: looks.slice(0, changed), change: again[changed] ?? looks[changed] };
}

function isSame(one: Look, other: Look | undefined): boolean {
  return one.kind === other?.kind && pageOf(one)?.signature === pageOf(other)?.signature;
}

/** Whether the list has only got longer since its last page was read, at its end: that is for the next read (R8). */
function hasOnlyGrown(looks: readonly Look[], again: readonly Look[]): boolean {
  const [last, end] = looks.slice(-2);
  const [lastNow, endNow] = again.slice(-2);
  if (last?.kind !== "page" || end?.kind !== "none" || endNow?.kind === "failed" || isFull(last.page)) return false;
  const { records, signature } = last.page;
  const now = [lastNow, endNow].flatMap((look) => pageOf(look)?.records ?? []);
  const next = now[records.length];
  if (next === undefined || next.responseId === records.at(-1)?.responseId) return false;
  return signatureOf(now.slice(0, records.length)) === signature;
}

/** Whether some response stands on two of these pages that are no neighbours. */
function isScattered(looks: readonly Look[]): boolean {
  const lastAt = new Map<number, number>();
  for (const { number, runs } of looks.flatMap((look) => pageOf(look) ?? [])) {
    for (const { responseId } of runs) {
      if ((lastAt.get(responseId) ?? number) < number - 1) return true;
      lastAt.set(responseId, number);
    }
  }
  return false;
}

/** Whether something new stands at the boundary between two pages, or on both. */
function hasNewAcross(before: Page, page: Page, isNew: (responseId: number) => boolean): boolean {
  const there = new Set(page.runs.map(({ responseId }) => responseId));
  const atBoundary = [before.runs.at(-1)?.responseId, page.runs[0]?.responseId];
  if (atBoundary.some((id) => id !== undefined && isNew(id))) return true;
  return before.runs.some(({ responseId }) => isNew(responseId) && there.has(responseId));
}
