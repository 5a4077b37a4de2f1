import type { PassBooks } from "../books/books.ts";
import { SEVERAL } from "../contents/layout.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { holdLease } from "../lease.ts";
import { type Decision, decide, isOld } from "../ledger/judge.ts";
import { noted, orphanEntries, quarantined } from "../ledger/note-entries.ts";
import { later } from "../model/dates.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Edge } from "../model/mark.ts";
import { classOf, digestOf, isOther, type Run } from "../model/records.ts";
import type { Order, PageRead } from "../ports.ts";
import { guessLength } from "../walk/list-length.ts";
import { createPageReader } from "../walk/page-reader.ts";
import { holdSame } from "../walk/pages.ts";
import { type ScanEnd, type ScanStep, scan, type Verdict } from "../walk/scan.ts";
import { forgetOldest } from "../walk/scan-memory.ts";
import { failsPastEnd } from "./failing-end.ts";
import { floorCap } from "./floor-cap.ts";
import { newestDate } from "./list-order.ts";

const verdictOf: Record<Decision, Verdict> = {
  settled: "settled",
  old: "settled",
  "before-floor": "note",
  open: "note",
  emit: "whole",
  quarantine: "whole",
};

/** One page of a survey, judged by the ledger. */
export interface SurveyStep {
  page: number;
  ids: number[];
  /** All runs of the page. */
  runs: Run[];
  /** Completed responses that are whole and have to go out. */
  toEmit: Run[];
  /** The ledger's entry of a response of this page. */
  known: (responseId: number) => LedgerEntry | undefined;
  /** See `ScanStep`. */
  isRest: boolean;
  pieces: Run[];
  covered: boolean;
  moved: boolean;
  several: number;
  apart: boolean;
  suspect: boolean;
  /** Emitted responses with more records than their event has. */
  short: Run[];
  /** Emitted responses whose records are no longer those of their event; told only where every seam is proved. */
  changed: number;
  /** Whether anything on the page was new. */
  news: boolean;
  /** New completed responses that needed no event: before the floor or unreadable. */
  found: number;
  /** Unreadable responses and single records. */
  quarantined: number;
  /** Whether every response of the page lies below the floor by its date alone, or is open and known. */
  belowFloor: boolean;
  deferred: number;
  /** Of this page, unreadable ones that could not be kept or have become readable meanwhile: a later scan meets them as new. */
  left: number;
  /** See `ScanStep`. */
  edge: () => Edge;
  cut: boolean;
}

export interface SurveyScanOptions {
  order: Order;
  from: number;
  after?: Edge | undefined;
  expect?: Edge | undefined;
  prove: "cuts" | "news" | "all";
  /** Whether an empty first page is taken as it is. */
  trustEmpty?: boolean;
  /** See `SliceOptions`. */
  joins?: boolean;
  /** Whether pages are read before their turn: for a scan that goes on to the end of the list. */
  ahead?: boolean;
  books?: PassBooks;
  /** Called before the first thing that this scan writes. */
  onNews?: () => Promise<void>;
}

/**
 * Scans a survey's pages, judging each response by the ledger. What needs no event (open ones, those before the floor,
 * unreadable ones) is written to the ledger here; what needs one is handed out.
 */
export async function* surveyScan(
  ctx: PollContext,
  {
    order,
    from,
    after,
    expect,
    prove,
    trustEmpty = false,
    joins = false,
    ahead = false,
    books,
    onNews,
  }: SurveyScanOptions,
): AsyncGenerator<SurveyStep, ScanEnd> {
  const { service, state, observe, clock } = ctx.ports;
  /** Responses that are not below the floor by their date alone. */
  const above = new Set<number>();
  const known = new Map<number, LedgerEntry>();
  /** Judged as unreadable, and not handed out yet. */
  const unclear = new Set<number>();
  let floorRose = false;
  const carried = after?.carry?.responseId;
  if (carried !== undefined) {
    for (const entry of (await state.entries(ctx.surveyId, [carried])).values()) known.set(carried, entry);
  }

  const readIn = async (page: number, inOrder: Order): Promise<PageRead> => {
    await holdLease(ctx);
    observe({ kind: "page", surveyId: ctx.surveyId, page, order: inOrder });
    return service.page(ctx.surveyId, page, inOrder);
  };
  const read = (page: number): Promise<PageRead> => readIn(page, order);
  const length = guessLength(ctx.listedCount);
  const { volatile } = ctx;
  const isSame = (one: PageRead, other: PageRead): boolean => holdSame(one, other, volatile);
  const reader = createPageReader(read, { isAhead: ahead, left: length.left, isSame });
  const steps = scan({
    from,
    after,
    expect,
    prove,
    known: (responseId) => known.get(responseId)?.digest,
    volatile,
    trustEmpty,
    joins,
    otherFirst: () => readIn(1, order === "asc" ? "desc" : "asc"),
    failsPastEnd: (error) => failsPastEnd(ctx, error),
    shortPageEnds: ctx.shortPageEnds,
    read: reader.read,
    reread: reader.reread,
    look: read,
    judge: async (runs) => {
      length.met(runs.length);
      const now = clock.now();
      const newest = newestDate(runs, now);
      ctx.newestSeen = later(ctx.newestSeen, newest);
      floorRose = raiseFloor(ctx, newest) || floorRose;
      const floor = ctx.mark.floor ?? { at: null, inclusive: true };
      const entries = await entriesOf(ctx, runs);
      const verdicts = new Map<number, Verdict>();
      for (const run of runs) {
        const entry = entries.get(run.responseId);
        const decision = decide(run, entry, { floor, firstPassDone: ctx.mark.firstPassDone, now });
        verdicts.set(run.responseId, verdictOf[decision]);
        if (decision === "quarantine") unclear.add(run.responseId);
        if (decision !== "old" && entry?.state !== "open") {
          // Among the last ones again, where it is judged again.
          above.delete(run.responseId);
          above.add(run.responseId);
        }
        if (entry !== undefined) known.set(run.responseId, entry);
        books?.count(run.responseId, decision, entry);
      }
      forgetOldest(above);
      return verdicts;
    },
  });

  try {
    for (;;) {
      const next = await steps.next();
      if (next.done) {
        // The very last part of the list comes with no page of its own.
        noteStanding(ctx, next.value);
        learn(ctx, next.value, from === 1 && after === undefined);
        return next.value;
      }
      // Before anything of the page goes out: contents of records that lie apart are to be confirmed.
      noteStanding(ctx, next.value);
      // Contradicted for good, though this scan may be left before its end.
      if (next.value.shortPageEnds === false) ctx.shortPageEnds = false;
      yield await settleStep(next.value);
    }
  } finally {
    await reader.close();
  }

  async function settleStep(step: ScanStep): Promise<SurveyStep> {
    if (step.news) await onNews?.();
    const unreadable = step.whole.filter((run) => classOf(run) === "unreadable");
    const kept = await Promise.all(unreadable.map((run) => orLeave(ctx, () => quarantined(ctx, run))));
    for (const [i, run] of unreadable.entries()) if (kept[i] === undefined) books?.leave(run.responseId);
    // Since it was judged, or an older copy of the list was read: what is not completed is never emitted.
    const reopened = step.whole.filter((run) => classOf(run) === "open");
    for (const { responseId } of reopened) books?.leave(responseId);
    const readable = step.whole.filter((run) => !unreadable.includes(run) && !reopened.includes(run));
    // What has become readable since it was judged may be from before the floor: a later scan judges it anew.
    const rejudged = readable.filter(({ responseId }) => unclear.has(responseId));
    for (const { responseId } of rejudged) books?.leave(responseId);
    for (const { responseId } of step.whole) unclear.delete(responseId);
    const orphans = await orphanEntries(ctx, step.orphans);
    const entered = kept.filter((entry) => entry !== undefined);
    const unfit = [...entered, ...orphans.entries];
    const entries: LedgerEntry[] = [...[...step.noted, ...reopened].map((run) => noted(ctx, run)), ...unfit];
    if (entries.some((entry) => entry.state === "open")) ctx.mark.openSeen = true;
    if (entries.length > 0) {
      await holdLease(ctx);
      // By a floor that a crash forgets nothing may have been settled: a later tick may not raise it as far.
      if (floorRose) await state.saveMark(ctx.lease, ctx.mark);
      floorRose = false;
      await state.putEntries(ctx.surveyId, entries);
    }
    const short = step.others.filter((run) => isShort(run, known.get(run.responseId)));
    const changed =
      prove === "all" ? step.others.filter((run) => isChanged(ctx, run, known.get(run.responseId))).length : 0;
    forgetOldest(known, KNOWN_AT_ONCE);
    return {
      page: step.page,
      ids: step.ids,
      runs: step.runs,
      known: (responseId) => known.get(responseId),
      isRest: step.isRest,
      pieces: step.pieces,
      covered: step.covered,
      moved: step.moved,
      several: step.several,
      apart: step.apart,
      suspect: step.suspect,
      short,
      changed,
      edge: step.edge,
      cut: step.cut,
      toEmit: readable.filter((run) => !rejudged.includes(run)),
      news: step.news,
      found: step.noted.filter((run) => classOf(run) !== "open").length + entered.length,
      quarantined: unfit.length,
      belowFloor: step.ids.length > 0 && !step.ids.some((id) => above.has(id)),
      deferred: step.deferred,
      left: unreadable.length - entered.length + rejudged.length + orphans.left,
    };
  }
}

/** Entries that the scan holds on to: those of the last few pages. */
const KNOWN_AT_ONCE = 500;

function isShort(run: Run, entry: LedgerEntry | undefined): boolean {
  return entry?.state === "emitted" && entry.count !== undefined && run.records.length > entry.count;
}

function isChanged({ volatile }: PollContext, run: Run, entry: LedgerEntry | undefined): boolean {
  if (entry?.state !== "emitted" || entry.digest === undefined || run.records.length > (entry.count ?? 0)) return false;
  return isOther(digestOf(run, volatile), entry.digest);
}

/** How records were seen to stand. */
function noteStanding({ mark }: PollContext, { apart, several }: ScanStep | ScanEnd): void {
  if (apart) mark.confirmation.apart = true;
  if (several > 0) mark.severalSeen = true;
}

/** What a scan to the end of the list has shown. */
function learn(ctx: PollContext, end: ScanEnd, fullPass: boolean): void {
  const { mark } = ctx;
  ctx.shortPageEnds = end.shortPageEnds;
  if (end.failing === false) delete mark.endFailedAt;
  if (end.apart) return;
  if (end.suspect) {
    // The next ones are compared with operation 9 as the first ones were.
    mark.confirmation.made = 0;
    delete mark.confirmation.several;
    mark.contiguous = false;
  } else if (fullPass && end.proved && end.ended && end.deferred.length === 0 && end.several >= SEVERAL) {
    mark.confirmation.apart = false;
    mark.contiguous = true;
  }
}

/** During a first pass over a list that is not ordered by completion, "now" is the largest date met so far. Whether it rose. */
function raiseFloor(ctx: PollContext, newest: string | undefined): boolean {
  const { floor } = ctx.mark;
  // A pass that goes on after the source's first tick meets what completed since, which is not before any floor.
  if (!ctx.mark.floorRises || floor === undefined || newest === undefined) return false;
  // Begun in the source's first tick, it has its own date of that tick already, which others need not have seen.
  const first = floorCap(ctx);
  const cap = ctx.mark.floorCap ?? (first === undefined ? undefined : later(first, floor.at ?? undefined));
  const before = floor.at;
  floor.at = later(before ?? "", cap !== undefined && cap < newest ? cap : newest) ?? newest;
  return floor.at !== before;
}

async function entriesOf(ctx: PollContext, runs: Run[]): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const found = new Map<LedgerEntry["id"], LedgerEntry>();
  const ids = runs.map((run) => run.responseId);
  const { floor } = ctx.mark;
  const old = new Set(floor === undefined ? [] : runs.filter((run) => isOld(run, floor)).map((run) => run.responseId));
  for (let i = 0; i < ids.length; i += 100) {
    const entries = await ctx.ports.state.entries(ctx.surveyId, ids.slice(i, i + 100), old);
    for (const [id, entry] of entries) found.set(id, entry);
  }
  return found;
}
