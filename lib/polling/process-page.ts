import type { Origin } from "../events/index.ts";
import { isSingleOnly, noteScattered } from "./contents.ts";
import { type Criteria, classify } from "./ledger/classify.ts";
import { noted, orphanEntries, quarantined } from "./ledger/entries.ts";
import { differences, grown, seeChange } from "./ledger/replace.ts";
import { FORGOTTEN, type LedgerEntry } from "./model/ledger-entry.ts";
import { classOf, type Run } from "./model/records.ts";
import type { Proof, Replaced, Response } from "./model/response.ts";
import { placeOf } from "./model/survey-state.ts";
import type { Order } from "./ports.ts";
import { fromRead } from "./publish/response.ts";
import type { ReadIds } from "./read-ids.ts";
import { noteEnd, skippedPages } from "./skipped-pages.ts";
import type { Survey } from "./survey.ts";
import type { Page } from "./walk/page.ts";
import { readPages, type Step } from "./walk/read-pages.ts";
import { type Fragment, isWhole } from "./walk/whole.ts";

// From pages to responses that have to go out, and to entries of the ledger for all others.

/** What came of the responses that have ended with one step of a read. A failure is noted by then, and told at the end of the poll. */
export interface Processed extends Omit<Step, "fragments" | "scattered"> {
  /** Completed ones that have to go out. */
  toEmit: Response[];
  /** To be written before the next page is asked for: what needs no event. */
  entries: LedgerEntry[];
  /** New completed responses that need no event: history or unreadable. */
  found: number;
  /** Unreadable ones that could not be kept: left to the next poll. */
  left: number;
  /** Emitted responses whose records are no longer those of their event. */
  changed: number;
  /** Pages that have shown something new when they were read first. */
  withNews: ReadonlySet<number>;
}

export async function writeNoted(survey: Survey, { entries, found }: Processed): Promise<void> {
  await survey.write(entries);
  survey.note({ kind: "found", count: found });
}

export interface ReadingOptions {
  from: number;
  origin: Origin;
  /** Of a full read: the ids that it has met so far. All others are scans, which read from the newest on. */
  ids?: ReadIds;
  /** Of a full read: pages read at once, at most. */
  mostAtOnce?: (() => number) | undefined;
  /** Of a scan: whether no page is read behind this one. `withNews`: those that have shown something new. */
  isOver?: (page: number, withNews: ReadonlySet<number>) => boolean;
}

export async function* readSurvey(survey: Survey, options: ReadingOptions): AsyncGenerator<Processed, void> {
  const { from, ids, mostAtOnce, isOver } = options;
  const reading = new Reading(survey, options);
  const { order } = reading;
  const every = {
    from,
    read: (page: number) => survey.page(page, order),
    skips: skippedPages(survey.state, order),
    classify: (pages: Page[]) => reading.classify(pages),
  };
  const pages = readPages(
    ids === undefined
      ? {
          kind: "scan",
          ...every,
          isNew: (id) => reading.isNew(id),
          isOver: (page) => isOver?.(page, reading.withNews) ?? false,
        }
      : {
          ...{ kind: "full", ...every, mostAtOnce, isAnchor: (page) => isAnchor(page, ids) },
          expected: { responses: survey.listedCount ?? 0, lastPage: survey.state.lastPage ?? 0 },
        },
  );
  for await (const step of pages) {
    const done = await reading.process(step);
    const { end, skipped } = step;
    if (end !== undefined) noteEnd(survey, order, { end, skipped, from });
    yield done;
  }
}

/**
 * Whether all that stands before a page was met by this read: it shows one met completed, and none before that was not met. Open ones count for neither, as they move.
 * Before it has met anything there is nothing to meet again.
 */
export function isAnchor({ runs }: Page, ids: Pick<ReadIds, "size" | "has" | "hasCompleted">): boolean {
  if (ids.size === 0) return true;
  const still = runs.filter((run) => classOf(run) !== "open");
  const last = still.findLastIndex(({ responseId }) => ids.hasCompleted(responseId));
  return last >= 0 && still.slice(0, last).every(({ responseId }) => ids.has(responseId));
}

/** Whether a page shows anything that has still to be dealt with. Nothing of it is handed out. */
export async function hasNews(survey: Survey, page: Page): Promise<boolean> {
  const reading = new Reading(survey, { from: 1, origin: "head" });
  await reading.classify([page]);
  return page.runs.some(({ responseId }) => reading.isNew(responseId));
}

/** Responses that one read remembers, at most: enough for any shift, and no list of a million (R10). */
const MOST_REMEMBERED = 20_000;

/** A response that a read has met. Processed: it was handed out or noted by this read. */
interface Met {
  is: "known" | "new" | "processed";
  /** The ledger's word on it when its page was read. */
  entry: LedgerEntry | undefined;
}

/** The responses that one read has met. */
class Reading {
  readonly order: Order;
  readonly withNews = new Set<number>();
  /** The last page seen so far. */
  private furthest = 0;
  private readonly met = new Map<number, Met>();
  private readonly survey: Survey;
  private readonly options: ReadingOptions;

  constructor(survey: Survey, options: ReadingOptions) {
    this.survey = survey;
    this.options = options;
    this.order = options.ids === undefined ? "desc" : "asc";
  }

  isNew(responseId: number): boolean {
    return this.met.get(responseId)?.is === "new";
  }

  /** Classifies the responses of pages that were just read. */
  async classify(pages: readonly Page[]): Promise<void> {
    const by = this.criteria();
    const runs = pages.flatMap((page) => page.runs);
    const entries = await this.survey.entries(runs.map((run) => run.responseId));
    const fresh = new Set<number>();
    for (const run of runs) {
      if (classify(run, entries.get(run.responseId), by) !== "settled") fresh.add(run.responseId);
    }
    for (const { responseId } of runs) {
      const isProcessed = this.met.get(responseId)?.is === "processed";
      this.met.delete(responseId);
      const is = isProcessed ? "processed" : fresh.has(responseId) ? "new" : "known";
      this.met.set(responseId, { is, entry: entries.get(responseId) });
    }
    for (const id of this.met.keys()) {
      if (this.met.size <= MOST_REMEMBERED) return;
      this.met.delete(id);
    }
  }

  /** Says what is to be done about the responses that have ended with a step. */
  async process({ fragments, scattered, ...step }: Step): Promise<Processed> {
    const { survey } = this;
    const { page } = step;
    if (page !== undefined && page.number > this.furthest) {
      // Before anything of it is handed out. One that is read again may show less that is new.
      if (page.runs.some(({ responseId }) => this.isNew(responseId))) this.withNews.add(page.number);
      this.furthest = page.number;
    }
    if (scattered) await noteScattered(survey);
    const unfit = await orphanEntries(survey, page?.orphans ?? []);
    const done: Processed = {
      ...{ ...step, withNews: this.withNews },
      ...{ toEmit: [], entries: unfit.entries, left: unfit.left },
      ...{ found: 0, changed: 0 },
    };
    for (const fragment of fragments) await this.processOne(fragment, done);
    return done;
  }

  /** Adds to what a step has done what is to be done about one response. */
  private async processOne(fragment: Fragment, done: Processed): Promise<void> {
    const { survey, options } = this;
    const { responseId, records, page } = fragment;
    const met = this.met.get(responseId);
    if (met?.is === "processed") return;
    const run: Run = { responseId, records };
    const by = this.criteria();
    const entry = met?.entry;
    options.ids?.add(responseId, classOf(run) === "open", page);
    const decision = classify(run, entry, by);
    if (decision === "settled") {
      if (entry?.state === "emitted") this.compare(run, fragment, entry, done);
      return;
    }
    this.met.set(responseId, { is: "processed", entry });
    switch (decision) {
      case "emit":
        done.toEmit.push(this.response(run, fragment));
        return;
      case "replace":
        done.toEmit.push(this.response(run, fragment, entry && grown(run, entry, by.now)));
        return;
      case "quarantine": {
        // A part is enough: no other record makes readable what one of them does not say.
        const kept = await survey.orLeave(() => quarantined(survey, run, entry !== undefined || by.hasBooks));
        if (kept === undefined) done.left += 1;
        else done.entries.push(kept);
        done.found += kept === undefined ? 0 : 1;
        return;
      }
      default:
        done.entries.push(noted(survey, run));
        done.found += decision === "before-start" ? 1 : 0;
    }
  }

  /** An emitted response that reads otherwise than its event: that goes out, or is only noted so far. */
  private compare(run: Run, fragment: Fragment, entry: LedgerEntry, done: Processed): void {
    const { survey, options } = this;
    const { now, replaces } = this.criteria();
    if (entry.reason === FORGOTTEN || !replaces) return;
    const isFull = options.ids !== undefined;
    if (isSingleOnly(survey)) {
      // Once a full read compares what went out before that was known.
      const isOlder = (survey.state.books?.startedAt ?? 0) < (survey.learned.scattered ?? 0);
      if (!isOlder || !isFull) return;
      this.met.set(run.responseId, { is: "processed", entry });
      done.toEmit.push(this.response(run, fragment, grown(run, entry, now), "nothing"));
      return;
    }
    // On the first page of a part nobody knows what stands before it.
    const isSure = isWhole(fragment) && (fragment.page > options.from || options.from === 1);
    const differs = isSure ? differences(run, entry) : [];
    if (differs.length === 0) return;
    this.met.set(run.responseId, { is: "processed", entry });
    const seen = seeChange(run, entry, differs, { at: now, isFull });
    // fault: change-untold
    if (seen.kind === "told") done.toEmit.push(this.response(run, fragment, seen.replaces));
    else done.changed += 1;
    if (seen.kind === "noted") done.entries.push(seen.entry);
  }

  private response(run: Run, fragment: Fragment, replaces?: Replaced, proof = proofOf(fragment)): Response {
    const seen = { page: fragment.page, order: this.order, at: this.survey.ports.clock.now() };
    return fromRead(this.survey, run, { proof, replaces, seen, origin: this.options.origin });
  }

  private criteria(): Criteria {
    const { state, ports, source, start } = this.survey;
    return {
      start,
      // fault: books-before-any
      hasBooks: state.books !== undefined,
      now: ports.clock.now(),
      looksAtHeld: this.options.ids !== undefined,
      replaces: source.events.has("response.updated"),
      backfill: placeOf(state)?.backfill,
    };
  }
}

function proofOf(fragment: Fragment): Proof {
  if (!isWhole(fragment)) return "nothing";
  return fragment.across ? "both pages" : "its page";
}
