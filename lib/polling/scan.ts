import { PAGE_SIZE, type Page, toPage } from "./pages.ts";
import type { PageRead } from "./ports.ts";
import type { ReadRecord, Run } from "./records.ts";

/** What is to be done about a run: nothing, or something for which its first records are enough, or its whole. */
export type Verdict = "settled" | "note" | "whole";

export interface ScanOptions {
  /** First page to read; from a page after the first, the beginning of its first response is unknown. */
  from: number;
  read: (page: number) => Promise<PageRead>;
  /** Judges runs (which may be cut by a page edge) that this scan meets for the first time. */
  judge: (runs: Run[]) => Promise<Map<number, Verdict>>;
  /** Whether a page of fewer than 100 records is known to be the last one. */
  shortPageEnds: boolean;
}

/** What one more page has settled. */
export interface ScanStep {
  page: number;
  /** Runs judged "note" that were met on this page. */
  noted: Run[];
  /** Runs judged "whole" that are now known from their first record to their last. */
  whole: Run[];
  /** Records without a readable responseId. */
  orphans: ReadRecord[];
  /** Whether any response of this page is not settled. */
  news: boolean;
}

export interface ScanEnd {
  /** Last page that held records. */
  lastPage: number;
  /** Learned on the way: the page before two empty ones was short. */
  shortPageEnds: boolean;
  /** Responses left for a later scan because the pages around them did not hold still. */
  deferred: number[];
  /** Responses whose records were found apart from each other. */
  scattered: number[];
}

/** How often the pages around one seam may change before its responses are left for a later scan. */
const MOST_BROKEN_SEAMS = 6;
/** Pages to go back for the beginning of a response: 10,000 records of one response. */
const MOST_RETREATS = 100;
/** Responses remembered as met: enough for any shift, and no list of a million ids. */
const REMEMBERED = 20_000;

/**
 * Reads pages one after the other and joins records into responses.
 *
 * A response that touches a page edge is whole only if nothing moved between the reads of the two pages: for one that
 * matters, the earlier page is read again after the later one and must be wholly unchanged; else the scan steps back.
 */
export async function* scan(options: ScanOptions): AsyncGenerator<ScanStep, ScanEnd> {
  const verdicts = new Map<number, Verdict>();
  const closed = new Map<number, Set<string>>();
  const orphaned = new Set<string>();
  const deferred = new Set<number>();
  const scattered = new Set<number>();
  let shortPageEnds = options.shortPageEnds;
  let previous: Page | undefined;
  /** The last run of `previous`, with what it had on the pages before. */
  let carry: Run | undefined;
  let number = options.from;
  let ready: Page | undefined;
  let broken = 0;
  let retreats = 0;

  const matters = (run: Run | undefined): run is Run =>
    run !== undefined && verdicts.get(run.responseId) === "whole" && !closed.has(run.responseId);

  /** Goes back to `page`, which was just read. */
  const stepBack = (page: Page): void => {
    previous = undefined;
    carry = undefined;
    number = page.number;
    ready = page;
  };

  const read = async (page: number): Promise<Page | undefined> => toPage(page, await options.read(page));

  const close = (run: Run, whole: Run[]): void => {
    const seen = closed.get(run.responseId);
    if (seen === undefined) {
      closed.set(run.responseId, new Set(run.records.map((record) => record.digest)));
      forgetOldest(closed);
      if (verdicts.get(run.responseId) === "whole") whole.push(run);
    } else if (run.records.some((record) => !seen.has(record.digest))) {
      // A repeat would be a shift of the pages; a record never seen before means that records lie apart.
      scattered.add(run.responseId);
    }
  };

  /** True when the seam after `earlier` is proved; otherwise the scan has stepped back, or given the seam up. */
  const prove = async (earlier: Page, first: Run | undefined): Promise<boolean> => {
    const again = await read(earlier.number);
    if (again?.digest === earlier.digest) {
      broken = 0;
      return true;
    }
    broken += 1;
    if (broken < MOST_BROKEN_SEAMS && again !== undefined) {
      stepBack(again);
      return false;
    }
    broken = 0;
    defer(carry);
    defer(first);
    return true;
  };

  /** Leaves a response whose edges cannot be proved for a later scan. */
  const defer = (run: Run | undefined): void => {
    if (!matters(run)) return;
    deferred.add(run.responseId);
    verdicts.set(run.responseId, "settled");
  };

  /** Closes what is still open at the end of the list. */
  async function* finish(last: Page | undefined): AsyncGenerator<ScanStep, ScanEnd> {
    const lastPage = last?.number ?? 0;
    const whole: Run[] = [];
    if (carry !== undefined) close(carry, whole);
    if (whole.length > 0) yield { page: lastPage, noted: [], whole, orphans: [], news: true };
    return { lastPage, shortPageEnds, deferred: [...deferred], scattered: [...scattered] };
  }

  for (;;) {
    const page = ready ?? (await read(number));
    ready = undefined;

    if (page === undefined && previous === undefined && number > 1) {
      // The list has become shorter than where this scan was to begin.
      number = Math.floor(number / 2);
      continue;
    }
    if (page !== undefined && page.digest === previous?.digest) {
      // Past the end some services repeat the last page; but a page's worth of new records also shifts it here.
      const again = await read(previous.number);
      if (again !== undefined && again.digest !== page.digest) {
        stepBack(again);
        continue;
      }
      return yield* finish(previous);
    }
    if (page === undefined) {
      const short = previous === undefined || previous.size < PAGE_SIZE;
      if (!(short && shortPageEnds)) {
        // One empty page may be a fault of the moment; two in a row are the end.
        const next = await read(number + 1);
        if (next !== undefined && next.digest !== previous?.digest) {
          defer(carry);
          previous = undefined;
          carry = undefined;
          ready = next;
          number += 1;
          retreats = MOST_RETREATS;
          continue;
        }
        if (previous !== undefined && short) shortPageEnds = true;
      }
      if (previous !== undefined && !short && matters(carry) && !(await prove(previous, undefined))) continue;
      return yield* finish(previous);
    }

    const fresh = page.runs.filter((run) => !verdicts.has(run.responseId));
    if (fresh.length > 0) {
      for (const [id, verdict] of await options.judge(dedupe(fresh))) verdicts.set(id, verdict);
      forgetOldest(verdicts);
    }
    const first = page.runs[0];
    if (previous === undefined && page.number > 1 && matters(first)) {
      if (retreats < MOST_RETREATS) {
        // Its beginning may lie on the page before.
        retreats += 1;
        number = page.number - 1;
        continue;
      }
      defer(first);
    }
    if (previous !== undefined && (matters(carry) || matters(first)) && !(await prove(previous, first))) continue;

    const whole: Run[] = [];
    let rest = page.runs;
    if (carry !== undefined && first?.responseId === carry.responseId) {
      carry = { responseId: carry.responseId, records: [...carry.records, ...first.records] };
      rest = rest.slice(1);
    }
    if (rest.length > 0) {
      if (carry !== undefined) close(carry, whole);
      for (const run of rest.slice(0, -1)) close(run, whole);
      carry = rest.at(-1);
    }
    const orphans = page.orphans.filter((record) => !orphaned.has(record.digest));
    for (const record of orphans) orphaned.add(record.digest);
    const ended = page.size < PAGE_SIZE && shortPageEnds;
    if (ended && carry !== undefined) {
      close(carry, whole);
      carry = undefined;
    }
    const noted = dedupe(page.runs.filter((run) => verdicts.get(run.responseId) === "note"));
    for (const run of noted) verdicts.set(run.responseId, "settled");
    const news = noted.length > 0 || whole.length > 0 || matters(carry);
    yield { page: page.number, noted, whole, orphans, news };
    if (ended) return yield* finish(page);
    previous = page;
    number = page.number + 1;
  }
}

/** A response may have several runs on a page where records are not contiguous: judged by the first. */
function dedupe(runs: Run[]): Run[] {
  const first = new Map<number, Run>();
  for (const run of runs) if (!first.has(run.responseId)) first.set(run.responseId, run);
  return [...first.values()];
}

function forgetOldest(map: Map<number, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= REMEMBERED) return;
    map.delete(key);
  }
}
