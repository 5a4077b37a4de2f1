import { RangeUnreachableError } from "./errors.ts";
import { PAGE_SIZE, type Page, toPage } from "./pages.ts";
import type { PageRead } from "./ports.ts";
import type { ReadRecord, Run } from "./records.ts";
import { createScanMemory, type Verdict } from "./scan-memory.ts";

export type { Verdict } from "./scan-memory.ts";

export interface ScanOptions {
  /** First page to read; from a page after the first, the beginning of its first response is unknown. */
  from: number;
  read: (page: number) => Promise<PageRead>;
  /** Judges runs (which may be cut by a page edge) that this scan meets for the first time. */
  judge: (runs: Run[]) => Promise<Map<number, Verdict>>;
  /** Whether a page of fewer than 100 records was the last one whenever it was met; undefined: not known yet. */
  shortPageEnds: boolean | undefined;
  /**
   * Which seams between pages are proved: those that cut a response that matters, or all those beside a page with such
   * a response, so that nothing can slip through between two settled ones either.
   */
  prove: "cuts" | "news";
  /** Whether an empty first page is taken as it is, without a second look; such a scan proves nothing. */
  trustEmpty: boolean;
}

/** What one more page has settled. */
export interface ScanStep {
  page: number;
  /** Responses of the page. */
  ids: number[];
  /** Runs judged "note" that were met on this page. */
  noted: Run[];
  /** Runs judged "whole" that are now known from their first record to their last. */
  whole: Run[];
  /** Records without a readable responseId. */
  orphans: ReadRecord[];
  /** Whether any response of this page is not settled. */
  news: boolean;
  /** Responses that have been left for a later scan so far. */
  deferred: number;
  /** Whether this scan is certain that records of one response lie apart. */
  apart: boolean;
}

export interface ScanEnd {
  /** As learned on the way. */
  shortPageEnds: boolean | undefined;
  /** Responses left for a later scan because the pages around them did not hold still. */
  deferred: number[];
  apart: boolean;
  /** Whether a response came back changed, which may mean that records lie apart. */
  suspect: boolean;
  /** Whether every seam was proved. */
  proved: boolean;
  /** Whether the end of the list was reached for certain. */
  ended: boolean;
}

/** How often the pages around one seam may change before its responses are left for a later scan. */
const MOST_BROKEN_SEAMS = 6;
/** Pages to go back for the beginning of a response: 10,000 records of one response. */
const MOST_RETREATS = 100;

/**
 * Reads pages one after the other and joins records into responses.
 *
 * A response that touches a page edge is whole only if nothing moved between the reads of the two pages: for one that
 * matters, the earlier page is read again after the later one and must be wholly unchanged; else the scan steps back.
 *
 * @throws RangeUnreachableError when a page stays empty although a later one holds records
 */
export async function* scan(options: ScanOptions): AsyncGenerator<ScanStep, ScanEnd> {
  const memory = createScanMemory();
  const { matters, defer } = memory;
  const orphaned = new Set<string>();
  let { shortPageEnds } = options;
  let proved = true;
  let ended = true;
  let previous: Page | undefined;
  /** The last run of `previous`, with what it had on the pages before. */
  let carry: Run | undefined;
  let number = options.from;
  let ready: Page | undefined;
  let broken = 0;
  let retreats = 0;

  const read = async (page: number): Promise<Page | undefined> => toPage(page, await options.read(page));

  /** Begins again at a page, of which `known` is a fresh read if there is one. */
  const stepBack = (page: number, known: Page | undefined): void => {
    previous = undefined;
    carry = undefined;
    number = page;
    ready = known;
    memory.unsettle(page);
  };

  /** True when the seam after `earlier` is proved or given up; false when the scan has stepped back. */
  const prove = async (earlier: Page, first: Run | undefined): Promise<boolean> => {
    const again = await read(earlier.number);
    const holds = again?.digest === earlier.digest;
    if (!holds && ++broken < MOST_BROKEN_SEAMS) {
      stepBack(earlier.number, again);
      return false;
    }
    broken = 0;
    if (holds) return true;
    // Given up.
    memory.unsettle(earlier.number);
    proved = false;
    defer(carry);
    defer(first);
    return true;
  };

  /** Whether the list ends before the page at `number`, which is not there; else goes on with that page. */
  const endsHere = async (): Promise<boolean> => {
    if (previous === undefined && options.trustEmpty) {
      ended = false;
      return true;
    }
    const short = previous !== undefined && previous.size < PAGE_SIZE;
    if (short && shortPageEnds === true) return true;
    // One empty page may be a fault of the moment; two in a row are the end, if the first of them stays empty: the
    // second is empty anyway where the first was the last of the list.
    const next = await read(number + 1);
    if (next === undefined || next.digest === previous?.digest) {
      const again = await read(number);
      if (again !== undefined && again.digest !== previous?.digest) {
        ready = again;
        return false;
      }
      if (previous !== undefined && short) shortPageEnds ??= true;
      return true;
    }
    ready = await read(number);
    if (ready !== undefined) return false;
    throw new RangeUnreachableError(`page ${number} is empty although page ${number + 1} holds records`, {
      retryable: true,
      hint: "The survey is read again at the next tick; if this stays, ask the service's operator.",
    });
  };

  async function* finish(last: Page | undefined): AsyncGenerator<ScanStep, ScanEnd> {
    const page = last?.number ?? 0;
    const closing = carry === undefined ? undefined : memory.close(carry, page);
    const apart = memory.apart.size > 0;
    const deferred = memory.left(undefined);
    if (closing !== undefined) {
      const step = { noted: [], whole: [closing], orphans: [], news: true, deferred: deferred.length, apart };
      yield { page, ids: [], ...step };
    }
    return { shortPageEnds, deferred, apart, suspect: memory.suspect.size > 0, proved, ended };
  }

  for (;;) {
    const page = ready ?? (await read(number));
    ready = undefined;

    if (page === undefined && previous === undefined && number > 1) {
      // The list has become shorter than where this scan was to begin.
      number = Math.floor(number / 2);
      continue;
    }
    if (page === undefined) {
      if (!(await endsHere())) continue;
      const cut = previous !== undefined && (previous.size >= PAGE_SIZE || shortPageEnds === false);
      if (cut && previous !== undefined && matters(carry) && !(await prove(previous, undefined))) continue;
      return yield* finish(previous);
    }
    if (page.digest === previous?.digest) {
      // Past the end some services repeat the last page; but a page's worth of new records also shifts it here.
      const again = await read(previous.number);
      if (again?.digest === page.digest) return yield* finish(previous);
      stepBack(previous.number, again);
      continue;
    }
    const fresh = memory.unmet(page);
    if (fresh.length > 0) memory.judged(await options.judge(fresh));
    const first = page.runs[0];
    if (previous === undefined && page.number > 1 && matters(first)) {
      if (retreats < MOST_RETREATS) {
        // Its beginning may lie on the page before.
        retreats += 1;
        stepBack(page.number - 1, undefined);
        continue;
      }
      defer(first);
    }
    if (previous !== undefined) {
      const needed =
        matters(carry) ||
        matters(first) ||
        (options.prove === "news" && (memory.hasNews(page) || memory.hasNews(previous)));
      if (!needed) {
        proved = false;
        memory.unsettle(previous.number);
      } else if (!(await prove(previous, first))) continue;
      else if (previous.size < PAGE_SIZE) shortPageEnds = false;
    }

    const whole: Run[] = [];
    const close = (run: Run, endsOn: number): void => {
      const closing = memory.close(run, endsOn);
      if (closing !== undefined) whole.push(closing);
    };
    let rest = page.runs;
    let carryEnds = page.number - 1;
    if (carry !== undefined && first?.responseId === carry.responseId) {
      carry = { responseId: carry.responseId, records: [...carry.records, ...first.records] };
      rest = rest.slice(1);
      carryEnds = page.number;
    }
    if (rest.length > 0) {
      if (carry !== undefined) close(carry, carryEnds);
      for (const run of rest.slice(0, -1)) close(run, page.number);
      carry = rest.at(-1);
    }
    const orphans = page.orphans.filter((record) => !orphaned.has(record.digest));
    for (const record of orphans) orphaned.add(record.digest);
    const noted = memory.takeNoted(page);
    yield {
      page: page.number,
      ids: page.runs.map((run) => run.responseId),
      noted,
      whole,
      orphans,
      // A response that ended with the page before is no news of this one.
      news: noted.length > 0 || memory.hasNews(page),
      deferred: memory.left(carry).length,
      apart: memory.apart.size > 0,
    };
    previous = page;
    number = page.number + 1;
  }
}
