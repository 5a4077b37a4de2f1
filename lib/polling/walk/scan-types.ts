import type { Edge } from "../model/mark.ts";
import type { ReadRecord, Run } from "../model/records.ts";
import type { VolatileFields } from "../model/volatile-fields.ts";
import type { PageRead } from "../ports.ts";
import type { Verdict } from "./scan-memory.ts";

export interface ScanOptions {
  /** First page to read; from a page after the first, the beginning of its first response is unknown. */
  from: number;
  /** Where an earlier scan stopped: this one goes on behind it, and `from` is of no account. */
  after?: Edge | undefined;
  /** How the page at `from` ended when an earlier scan read it. */
  expect?: Edge | undefined;
  read: (page: number) => Promise<PageRead>;
  /** Reads one of the last two pages once more, to prove the seam between them: first the earlier one, then the later one; default: `read`. */
  reread?: ((page: number) => Promise<PageRead>) | undefined;
  /** Reads a page as it is now, whatever was read of it before; default: `read`. */
  look?: ((page: number) => Promise<PageRead>) | undefined;
  /** Judges runs (which may be cut by a page edge) that this scan meets for the first time. */
  judge: (runs: Run[]) => Promise<Map<number, Verdict>>;
  /** Whether a page of fewer than 100 records was the last one whenever it was met; undefined: not known yet. */
  shortPageEnds: boolean | undefined;
  /**
   * Which seams between pages are proved: those that cut a response that matters; or all those beside a page with such
   * a response, so that nothing can slip through between two settled ones either; or every one, so that nothing at all
   * can, with one request a page where the ledger knows the response that stands across the seam.
   */
  prove: "cuts" | "news" | "all";
  /** Digest of all records of a response that the ledger knows, as `digestOf` gives it. */
  known?: (responseId: number) => string | undefined;
  /** Fields that are not compared; learns of more. */
  volatile?: VolatileFields;
  /** Whether an empty first page is taken as it is, without a second look; such a scan proves nothing. */
  trustEmpty: boolean;
  /** Reads the first page of the other order; default: nothing is known of it. */
  otherFirst?: (() => Promise<PageRead>) | undefined;
  /** Notes a failure to read a page behind what may be the last one; whether it has lasted for so long that it is how this service answers there. */
  failsPastEnd?: (error: unknown) => boolean;
  /** Whether the beginning of a response on the page before the first need not be gone back for: parts are laid aside. */
  joins?: boolean;
}

/** What one more page has settled. */
export interface ScanStep {
  page: number;
  /** Responses of the page. */
  ids: number[];
  /** All runs of the page. */
  runs: Run[];
  /** Whether it is the last response of the list, which was complete only at the end: it comes with no page of its own. */
  isRest: boolean;
  /** Runs judged "note" that were met on this page. */
  noted: Run[];
  /** Runs judged "whole" that are now known from their first record to their last. */
  whole: Run[];
  /** Other runs that this scan met for the first time and knows from their first record to their last. */
  others: Run[];
  /** Records without a readable responseId. */
  orphans: ReadRecord[];
  /** Whether any response of this page is not settled. */
  news: boolean;
  /** As in `ScanEnd`, so far. */
  shortPageEnds: boolean | undefined;
  /** Responses that have been left for a later scan so far. */
  deferred: number;
  /** Whether this scan is certain that records of one response lie apart. */
  apart: boolean;
  /** See `ScanEnd`, so far. */
  suspect: boolean;
  /** All runs of the page that belong to responses whose whole is or was needed. */
  pieces: Run[];
  /** As in `ScanEnd`, so far. */
  covered: boolean;
  moved: boolean;
  several: number;
  /** Where a later scan may go on behind this page. */
  edge: () => Edge;
  /** Whether a response that matters stands across the end of the page: then the later scan reads it again. */
  cut: boolean;
}

export interface ScanEnd {
  /** As learned on the way. */
  shortPageEnds: boolean | undefined;
  /** Responses left for a later scan because the pages around them did not hold still. */
  deferred: number[];
  apart: boolean;
  /** Whether a response came back changed, which may mean that records lie apart. */
  suspect: boolean;
  /** Parts of responses that came back with a record not seen before. */
  scattered: Run[];
  /** Responses met as one run of more than one record: what stands together says something of them only. */
  several: number;
  /** Whether every seam was proved. */
  proved: boolean;
  /** Whether nothing that was listed all the time can have slipped through a seam; the list may have moved. */
  covered: boolean;
  /** Whether pages were seen to move while they were read. */
  moved: boolean;
  /** Whether the end of the list was reached for certain. */
  ended: boolean;
  /** Whether pages behind the end failed; undefined where none was read. */
  failing: boolean | undefined;
  /** Whether not even the first page was there. */
  empty: boolean;
}
