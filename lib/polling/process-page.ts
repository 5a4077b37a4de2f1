import type { Origin } from "../events/index.ts";
import type { ReadIds } from "./books/ids.ts";
import { isSingleOnly, noteScattered } from "./contents/single-read.ts";
import type { PollContext } from "./context.ts";
import { orLeave } from "./errors.ts";
import { holdLease } from "./lease.ts";
import { differences, grown, seeChange } from "./ledger/changes.ts";
import { noted, orphanEntries, quarantined } from "./ledger/entries.ts";
import { type Decision, decide, type Judgement } from "./ledger/judge.ts";
import { FORGOTTEN, type LedgerEntry } from "./model/ledger-entry.ts";
import { noteFound, placeOf } from "./model/mark.ts";
import { classOf, type Run } from "./model/records.ts";
import type { Proof, Replaced, Response } from "./model/response.ts";
import type { Order, PageRead } from "./ports.ts";
import { fromRead } from "./publish/response.ts";
import { noteEnd, skippedPages } from "./skipped-pages.ts";
import { type Fragment, isWhole } from "./walk/join.ts";
import { PAGE_SIZE, type Page, toPage } from "./walk/page.ts";
import { type PageStep, type ReadEnd, readFull, type SoFar, scanPages } from "./walk/read-pages.ts";

/** What came of the responses that have ended with one page. */
export interface Processed extends SoFar {
  /** The page read; of the last step: the last page of the read. */
  page: number;
  /** Completed ones that have to go out. */
  toEmit: Response[];
  /** New completed responses that need no event: history or unreadable. */
  found: number;
  /** Unreadable responses and single records. */
  quarantined: number;
  /** Unreadable ones that could not be kept: left to the next poll. */
  left: number;
  /** Emitted responses whose records are no longer those of their event. */
  changed: number;
  /** Set on the last step. A failure is noted by then, and told at the end of the poll. */
  end?: ReadEnd;
}

/** What a page shows, before anything of it is handed out. */
export interface Shown {
  page: Page;
  /** Whether it shows anything that has still to be dealt with, and anything that was dealt with before. */
  news: boolean;
  isKnown: boolean;
}

/** The ledger's word on a response when its page was read. */
interface Verdict {
  decision: Decision;
  entry: LedgerEntry | undefined;
}

/** Responses that one read remembers, at most: enough for any shift, and no list of a million (R10). */
const MOST_REMEMBERED = 20_000;

/** The responses that one read has met. */
class Reading {
  readonly verdicts = new Map<number, Verdict>();
  /** Handed out or noted by this read. */
  readonly dealt = new Set<number>();
  /** The page on which each was met; and whether one that was met twice was looked at. */
  private readonly metAt = new Map<number, number>();
  private hasCompared = false;
  readonly ctx: PollContext;
  readonly order: Order;
  readonly from: number;
  readonly origin: Origin;
  /** Ids that a full read meets; a scan keeps none. */
  readonly ids: ReadIds | undefined;

  constructor(
    ctx: PollContext,
    { order, from, origin }: { order: Order; from: number; origin: Origin },
    ids?: ReadIds,
  ) {
    this.ctx = ctx;
    this.order = order;
    this.from = from;
    this.origin = origin;
    this.ids = ids;
  }

  isNew(responseId: number): boolean {
    const verdict = this.verdicts.get(responseId);
    return verdict !== undefined && verdict.decision !== "settled" && !this.dealt.has(responseId);
  }

  shows(page: Page): Shown {
    const responses = page.runs.map(({ responseId }) => responseId);
    return {
      page,
      news: responses.some((id) => this.isNew(id)),
      isKnown: responses.some((id) => !this.isNew(id)),
    };
  }

  async read(page: number): Promise<PageRead> {
    const { ctx, order } = this;
    await holdLease(ctx);
    ctx.ports.observe({ kind: "page", surveyId: ctx.surveyId, page, order });
    return ctx.ports.service.page(ctx.surveyId, page, order);
  }

  judgement(): Judgement {
    const { mark, ports, source, start } = this.ctx;
    return {
      start,
      // fault: books-before-any
      hasBooks: mark.books !== undefined,
      now: ports.clock.now(),
      looksAtHeld: this.ids !== undefined,
      replaces: source.events.has("response.updated"),
      backfill: placeOf(mark)?.backfill,
    };
  }

  /**
   * Whether a full read meets a response once more, on a page that is no neighbour of the one before, and both pages read together still show it (R12). Windows may be too
   * short to show that. It is looked at once in a read.
   */
  async isScattered({ fragments, moved }: PageStep | ReadEnd): Promise<boolean> {
    if (this.ids === undefined || this.hasCompared) return false;
    const again = fragments.find(({ responseId, page }) => (this.metAt.get(responseId) ?? page) < page - 1);
    const before = again && this.metAt.get(again.responseId);
    for (const { responseId, page } of fragments) this.metAt.set(responseId, page);
    forgetOldest(this.metAt);
    if (again === undefined || before === undefined || moved) return false;
    this.hasCompared = true;
    const pages = [before, again.page];
    const reads = await Promise.all(pages.map(async (page) => toPage(page, await this.read(page))));
    return reads.every((page) => page?.runs.some(({ responseId }) => responseId === again.responseId) === true);
  }

  /** Classifies the responses of a page that was just read. */
  async classify({ runs }: Page): Promise<void> {
    const by = this.judgement();
    const entries = await entriesOf(this.ctx, runs);
    const ofPage = new Map<number, Verdict>();
    for (const run of runs) {
      const entry = entries.get(run.responseId);
      const decision = decide(run, entry, by);
      // Where it stands in two places on the page, the one that has still to be dealt with counts.
      const before = ofPage.get(run.responseId)?.decision ?? "settled";
      if (before === "settled") ofPage.set(run.responseId, { decision, entry });
    }
    for (const [responseId, verdict] of ofPage) {
      this.verdicts.delete(responseId);
      this.verdicts.set(responseId, verdict);
    }
    forgetOldest(this.verdicts);
  }

  /** Notes what needs no event of the responses that have ended, and hands out those that need one. */
  async process(
    fragments: readonly Fragment[],
    page: Page | undefined,
    beforeWrites?: () => Promise<void>,
  ): Promise<Omit<Processed, keyof SoFar | "page" | "end">> {
    const { ctx, dealt, ids, order, origin } = this;
    const { ports, mark, surveyId, learned } = ctx;
    const by = this.judgement();
    const isFull = ids !== undefined;
    const done = { toEmit: [] as Response[], found: 0, quarantined: 0, left: 0, changed: 0 };
    const entries: LedgerEntry[] = [];
    const emit = (run: Run, { page: begins }: Fragment, proof: Proof, replaces?: Replaced): void => {
      done.toEmit.push(fromRead(ctx, run, { proof, replaces, seen: { page: begins, order }, origin }));
      dealt.add(run.responseId);
    };
    for (const fragment of fragments) {
      const run: Run = { responseId: fragment.responseId, records: fragment.records };
      if (dealt.has(run.responseId)) continue;
      const entry = this.verdicts.get(run.responseId)?.entry;
      const decision = decide(run, entry, by);
      ids?.add(run.responseId, classOf(run) === "open");
      if (decision === "settled") {
        if (entry?.state !== "emitted" || entry.reason === FORGOTTEN || !by.replaces) continue;
        if (isSingleOnly(ctx)) {
          // Once a full read compares what went out before that was known.
          const isOlder = (mark.books?.startedAt ?? 0) < (learned.scattered ?? 0);
          if (isOlder && isFull) emit(run, fragment, "nothing", grown(run, entry, by.now));
          continue;
        }
        // On the first page of a part nobody knows what stands before it.
        const isSure = isWhole(fragment) && (fragment.page > this.from || this.from === 1);
        const differs = isSure ? differences(run, entry) : [];
        if (differs.length === 0) continue;
        const seen = seeChange(run, entry, differs, { at: by.now, isFull });
        // fault: change-untold
        if (seen.kind === "told") emit(run, fragment, proofOf(fragment), seen.replaces);
        else done.changed += 1;
        if (seen.kind === "noted") entries.push(seen.entry);
        continue;
      }
      dealt.add(run.responseId);
      if (decision === "quarantine") {
        // A part is enough: no other record makes readable what one of them does not say.
        const kept = await orLeave(ctx, () => quarantined(ctx, run));
        if (kept === undefined) done.left += 1;
        else entries.push(kept);
        done.quarantined += kept === undefined ? 0 : 1;
        done.found += kept === undefined ? 0 : 1;
      } else if (decision === "emit") emit(run, fragment, proofOf(fragment));
      else if (decision === "replace" && entry !== undefined)
        emit(run, fragment, proofOf(fragment), grown(run, entry, by.now));
      else {
        entries.push(noted(ctx, run));
        if (decision !== "open") done.found += 1;
      }
    }
    const unfit = await orphanEntries(ctx, page?.orphans ?? []);
    done.left += unfit.left;
    done.quarantined += unfit.entries.length;
    entries.push(...unfit.entries);
    forgetOldest(dealt);
    if (entries.length > 0) {
      await beforeWrites?.();
      await holdLease(ctx);
      await ports.state.putEntries(surveyId, entries);
    }
    noteFound(mark, done.found);
    return done;
  }
}

export interface ScanOptions {
  from: number;
  origin: Origin;
  /** Whether nothing more is read behind a page. Asked for each page before anything of it is handed out. */
  isEnough?: (shown: Shown) => boolean;
  isTimeUp?: () => boolean;
  /** Called before anything is entered into the ledger. */
  beforeWrites?: () => Promise<void>;
}

/** Reads from a page of the newest on, one page at a time, and processes each. */
export async function* scanSurvey(ctx: PollContext, options: ScanOptions): AsyncGenerator<Processed, void> {
  const { from, origin, isEnough = () => false, isTimeUp = () => false, beforeWrites } = options;
  const reading = new Reading(ctx, { order: "desc", from, origin });
  const pages = scanPages({
    from,
    read: (page) => reading.read(page),
    skips: skippedPages(ctx, "desc"),
    classify: (page) => reading.classify(page),
    isNew: (id) => reading.isNew(id),
    isEnough: (page) => isEnough(reading.shows(page)),
    isTimeUp,
  });
  yield* processed(reading, pages, beforeWrites);
}

export interface FullOptions {
  from: number;
  origin: Origin;
  /** Whether nothing has to be met again at its beginning. */
  isFirstPart: boolean;
  ids: ReadIds;
  mostAtOnce?: () => number;
}

/** Reads from a page of the oldest on, in windows, and processes each page. */
export async function* fullSurvey(ctx: PollContext, options: FullOptions): AsyncGenerator<Processed, void> {
  const { from, origin, isFirstPart, ids, mostAtOnce } = options;
  const reading = new Reading(ctx, { order: "asc", from, origin }, ids);
  const met = { pages: 0, responses: 0 };
  const pages = readFull({
    from,
    isSure: isFirstPart,
    read: (page) => reading.read(page),
    skips: skippedPages(ctx, "asc"),
    classify: (page) => {
      met.pages += 1;
      met.responses += page.runs.length;
      return reading.classify(page);
    },
    // Of the responses that are counted, by the pages that those met so far have filled. Each has a record at least.
    knownPages: () => {
      const each = met.responses === 0 ? 1 / PAGE_SIZE : met.pages / met.responses;
      return Math.max(ctx.mark.lastPage ?? 0, Math.ceil((ctx.listedCount ?? 0) * each));
    },
    ...(mostAtOnce === undefined ? {} : { mostAtOnce }),
    isAnchor: (page) => isAnchor(page, ids),
  });
  yield* processed(reading, pages);
}

/** Whether all that stands before a page was met by this read: it shows one met completed, and none before that was not met. Open ones count for neither, as they move. */
export function isAnchor({ runs }: Page, ids: Pick<ReadIds, "has" | "hasCompleted">): boolean {
  const still = runs.filter((run) => classOf(run) !== "open");
  const last = still.findLastIndex(({ responseId }) => ids.hasCompleted(responseId));
  return last >= 0 && still.slice(0, last).every(({ responseId }) => ids.has(responseId));
}

/** Looks at one page. Nothing of it is handed out. */
export async function lookAt(ctx: PollContext, page: Page): Promise<Shown> {
  const reading = new Reading(ctx, { order: "desc", from: 1, origin: "head" });
  await reading.classify(page);
  return reading.shows(page);
}

async function* processed(
  reading: Reading,
  pages: AsyncGenerator<PageStep, ReadEnd>,
  beforeWrites?: () => Promise<void>,
): AsyncGenerator<Processed, void> {
  const { ctx, order, from } = reading;
  for (;;) {
    const next = await pages.next();
    const { fragments, covered, moved, skipped, position } = next.value;
    if ((!next.done && next.value.scattered) || (await reading.isScattered(next.value))) await noteScattered(ctx);
    const soFar = { covered, moved, skipped, position };
    const done = await reading.process(fragments, next.done ? undefined : next.value.page, beforeWrites);
    if (!next.done) {
      yield { ...done, ...soFar, page: next.value.page.number };
      continue;
    }
    const end = next.value;
    noteEnd(ctx, order, end, from);
    if (skipped.length > 0) ctx.ports.observe({ kind: "skipped", surveyId: ctx.surveyId });
    if (end.kind === "end" && end.seen === "twice") ctx.mark.lastPage = end.last;
    yield { ...done, ...soFar, page: end.last, end };
    return;
  }
}

function proofOf(fragment: Fragment): Proof {
  if (!isWhole(fragment)) return "nothing";
  return fragment.across ? "both pages" : "its page";
}

function forgetOldest(some: Map<number, unknown> | Set<number>): void {
  for (const id of some.keys()) {
    if (some.size <= MOST_REMEMBERED) return;
    some.delete(id);
  }
}

async function entriesOf(ctx: PollContext, runs: Run[]): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const found = new Map<LedgerEntry["id"], LedgerEntry>();
  const ids = [...new Set(runs.map((run) => run.responseId))];
  for (let i = 0; i < ids.length; i += 100) {
    const entries = await ctx.ports.state.entries(ctx.surveyId, ids.slice(i, i + 100));
    for (const [id, entry] of entries) found.set(id, entry);
  }
  return found;
}
