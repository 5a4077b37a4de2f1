import type { Origin } from "../events/index.ts";
import type { ReadIds } from "./books/ids.ts";
import { isSingleOnly, noteScattered } from "./contents/single-read.ts";
import { differences, grown, seeChange } from "./ledger/changes.ts";
import { noted, orphanEntries, quarantined } from "./ledger/entries.ts";
import { type Decision, decide, type Judgement } from "./ledger/judge.ts";
import { FORGOTTEN, type LedgerEntry } from "./model/ledger-entry.ts";
import { classOf, type Run } from "./model/records.ts";
import type { Proof, Replaced, Response } from "./model/response.ts";
import { placeOf } from "./model/survey-state.ts";
import type { Order } from "./ports.ts";
import { fromRead } from "./publish/response.ts";
import { noteEnd, skippedPages } from "./skipped-pages.ts";
import type { Survey } from "./survey.ts";
import type { Page } from "./walk/page.ts";
import { type PageStep, type ReadEnd, readFull, type SoFar, scanPages } from "./walk/read-pages.ts";
import { type Fragment, isWhole } from "./walk/whole.ts";

// From pages to responses that have to go out, and to entries of the ledger for all others.

/** What came of the responses that have ended with one page. */
export interface Processed extends SoFar {
  /** The page read; none at the end of the read. */
  page: Page | undefined;
  /** Completed ones that have to go out. */
  toEmit: Response[];
  /** To be written before the next page is asked for: what needs no event. */
  entries: LedgerEntry[];
  /** New completed responses that need no event: history or unreadable. */
  found: number;
  /** Unreadable responses and single records. */
  quarantined: number;
  /** Unreadable ones that could not be kept: left to the next poll. */
  left: number;
  /** Emitted responses whose records are no longer those of their event. */
  changed: number;
  /** Of a scan: what it has looked at by now, which may be a page more. */
  seen: Seen;
  /** Set on the last step. A failure is noted by then, and told at the end of the poll. */
  end?: ReadEnd;
}

/** Pages that a scan has looked at; those that showed something new; and those that showed anything else. */
export interface Seen {
  pages: ReadonlySet<number>;
  withNews: ReadonlySet<number>;
  withKnown: ReadonlySet<number>;
}

/** Enters into the ledger what needs no event. */
export async function writeNoted(survey: Survey, { entries, found }: Processed): Promise<void> {
  await survey.write(entries);
  survey.note({ kind: "found", count: found });
}

/** The ledger's word on a response when its page was read. */
interface Verdict {
  decision: Decision;
  entry: LedgerEntry | undefined;
}

/** What a read is: in which order, from which page, for which events; and the ids that it meets, where it is a full one. */
interface ReadingOptions {
  order: Order;
  from: number;
  origin: Origin;
  ids?: ReadIds;
}

/** Responses that one read remembers, at most: enough for any shift, and no list of a million (R10). */
const MOST_REMEMBERED = 20_000;

/** The responses that one read has met. */
class Reading {
  private readonly verdicts = new Map<number, Verdict>();
  /** Handed out or noted by this read. */
  private readonly dealt = new Set<number>();
  readonly seen = { pages: new Set<number>(), withNews: new Set<number>(), withKnown: new Set<number>() };
  private readonly survey: Survey;
  private readonly options: ReadingOptions;

  constructor(survey: Survey, options: ReadingOptions) {
    this.survey = survey;
    this.options = options;
  }

  isNew(responseId: number): boolean {
    const verdict = this.verdicts.get(responseId);
    return verdict !== undefined && verdict.decision !== "settled" && !this.dealt.has(responseId);
  }

  /** Notes what a page shows, before anything of it is handed out. */
  see({ number, runs }: Page): Seen {
    const { seen } = this;
    const isNew = runs.map(({ responseId }) => this.isNew(responseId));
    seen.pages.add(number);
    if (isNew.includes(true)) seen.withNews.add(number);
    if (isNew.includes(false)) seen.withKnown.add(number);
    return seen;
  }

  /** Classifies the responses of a page that was just read. */
  async classify({ runs }: Page): Promise<void> {
    const by = this.judgement();
    const entries = await this.survey.entries(runs.map((run) => run.responseId));
    const ofPage = new Map<number, Verdict>();
    for (const run of runs) {
      const entry = entries.get(run.responseId);
      // Where it stands in two places on the page, the one that has still to be dealt with counts.
      const before = ofPage.get(run.responseId)?.decision ?? "settled";
      if (before === "settled") ofPage.set(run.responseId, { decision: decide(run, entry, by), entry });
    }
    for (const [responseId, verdict] of ofPage) {
      this.verdicts.delete(responseId);
      this.verdicts.set(responseId, verdict);
    }
    forgetOldest(this.verdicts);
  }

  /** Classifies the responses that have ended with a step, and says what is to be done about each. */
  async process(step: PageStep | ReadEnd): Promise<Processed> {
    const { survey } = this;
    const { fragments, covered, moved, skipped, position } = step;
    const page = step.kind === "page" ? step.page : undefined;
    if (step.kind === "page" && step.scattered) await noteScattered(survey);
    const unfit = await orphanEntries(survey, page?.orphans ?? []);
    const done = {
      ...{ covered, moved, skipped, position, page, seen: this.seen },
      ...{ toEmit: [] as Response[], entries: unfit.entries, found: 0, changed: 0 },
      ...{ quarantined: unfit.entries.length, left: unfit.left },
    };
    for (const fragment of fragments) {
      const outcome = await this.outcomeOf(fragment);
      if (outcome.kind !== "none") this.dealt.add(fragment.responseId);
      if (outcome.kind === "emit") done.toEmit.push(outcome.response);
      if (outcome.kind === "left") done.left += 1;
      if (outcome.kind === "changed") done.changed += 1;
      if ("entry" in outcome && outcome.entry !== undefined) done.entries.push(outcome.entry);
      if (outcome.kind === "quarantined") done.quarantined += 1;
      if (outcome.kind === "quarantined" || outcome.kind === "history") done.found += 1;
    }
    forgetOldest(this.dealt);
    return done;
  }

  private async outcomeOf(fragment: Fragment): Promise<Outcome> {
    const { survey, options } = this;
    const { responseId, records } = fragment;
    if (this.dealt.has(responseId)) return { kind: "none" };
    const run: Run = { responseId, records };
    const by = this.judgement();
    const entry = this.verdicts.get(responseId)?.entry;
    const decision = decide(run, entry, by);
    options.ids?.add(responseId, classOf(run) === "open", fragment.page);
    switch (decision) {
      case "settled":
        return entry?.state === "emitted" ? this.changeOf(run, fragment, entry) : { kind: "none" };
      case "emit":
        return this.emit(run, fragment);
      case "replace":
        return this.emit(run, fragment, entry && { replaces: grown(run, entry, by.now) });
      case "quarantine": {
        // A part is enough: no other record makes readable what one of them does not say.
        const kept = await survey.orLeave(() => quarantined(survey, run));
        return kept === undefined ? { kind: "left" } : { kind: "quarantined", entry: kept };
      }
      default:
        return { kind: decision === "open" ? "open" : "history", entry: noted(survey, run) };
    }
  }

  /** What is to be done about an emitted response, by what differs from its event. */
  private changeOf(run: Run, fragment: Fragment, entry: LedgerEntry): Outcome {
    const { survey, options } = this;
    const { now, replaces } = this.judgement();
    if (entry.reason === FORGOTTEN || !replaces) return { kind: "none" };
    const isFull = options.ids !== undefined;
    if (isSingleOnly(survey)) {
      // Once a full read compares what went out before that was known.
      const isOlder = (survey.state.books?.startedAt ?? 0) < (survey.learned.scattered ?? 0);
      if (!isOlder || !isFull) return { kind: "none" };
      return this.emit(run, fragment, { proof: "nothing", replaces: grown(run, entry, now) });
    }
    // On the first page of a part nobody knows what stands before it.
    const isSure = isWhole(fragment) && (fragment.page > options.from || options.from === 1);
    const differs = isSure ? differences(run, entry) : [];
    if (differs.length === 0) return { kind: "none" };
    const seen = seeChange(run, entry, differs, { at: now, isFull });
    // fault: change-untold
    if (seen.kind === "told") return this.emit(run, fragment, { replaces: seen.replaces });
    return { kind: "changed", entry: seen.kind === "noted" ? seen.entry : undefined };
  }

  private emit(run: Run, fragment: Fragment, how: { proof?: Proof; replaces?: Replaced } = {}): Outcome {
    const { order, origin } = this.options;
    const { proof = proofOf(fragment), replaces } = how;
    const seen = { page: fragment.page, order, at: this.survey.ports.clock.now() };
    return { kind: "emit", response: fromRead(this.survey, run, { proof, replaces, seen, origin }) };
  }

  private judgement(): Judgement {
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

/** What is to be done about a response that a read has met. Changed: it reads otherwise than its event, which is only noted so far. */
type Outcome =
  | { kind: "emit"; response: Response }
  | { kind: "quarantined" | "open" | "history"; entry: LedgerEntry }
  | { kind: "changed"; entry: LedgerEntry | undefined }
  | { kind: "left" | "none" };

export interface ScanOptions {
  from: number;
  origin: Origin;
  /** Whether nothing more is read behind this page, the last one of those seen. */
  isEnough?: (page: Page, seen: Seen) => boolean;
  isTimeUp?: (seen: Seen) => boolean;
}

/** Reads from a page of the newest on, one page at a time, and processes each. */
export async function* scanSurvey(survey: Survey, options: ScanOptions): AsyncGenerator<Processed, void> {
  const { from, origin, isEnough = () => false, isTimeUp = () => false } = options;
  const reading = new Reading(survey, { order: "desc", from, origin });
  const pages = scanPages({
    from,
    read: (page) => survey.page(page, "desc"),
    skips: skippedPages(survey.state, "desc"),
    classify: (page) => reading.classify(page),
    isNew: (id) => reading.isNew(id),
    isEnough: (page) => isEnough(page, reading.see(page)),
    isTimeUp: () => isTimeUp(reading.seen),
  });
  yield* processed(survey, reading, pages, { order: "desc", from });
}

export interface FullOptions {
  from: number;
  origin: Origin;
  /** Whether nothing has to be met again at its beginning. */
  isFirstPart: boolean;
  ids: ReadIds;
  mostAtOnce?: (() => number) | undefined;
}

/** Reads from a page of the oldest on, in windows, and processes each page. */
export async function* fullSurvey(survey: Survey, options: FullOptions): AsyncGenerator<Processed, void> {
  const { from, origin, isFirstPart, ids, mostAtOnce } = options;
  const reading = new Reading(survey, { order: "asc", from, origin, ids });
  const pages = readFull({
    from,
    isSure: isFirstPart,
    read: (page) => survey.page(page, "asc"),
    skips: skippedPages(survey.state, "asc"),
    classify: (page) => reading.classify(page),
    expected: { responses: survey.listedCount ?? 0, lastPage: survey.state.lastPage ?? 0 },
    ...(mostAtOnce === undefined ? {} : { mostAtOnce }),
    isAnchor: (page) => isAnchor(page, ids),
  });
  yield* processed(survey, reading, pages, { order: "asc", from });
}

/** Whether all that stands before a page was met by this read: it shows one met completed, and none before that was not met. Open ones count for neither, as they move. */
export function isAnchor({ runs }: Page, ids: Pick<ReadIds, "has" | "hasCompleted">): boolean {
  const still = runs.filter((run) => classOf(run) !== "open");
  const last = still.findLastIndex(({ responseId }) => ids.hasCompleted(responseId));
  return last >= 0 && still.slice(0, last).every(({ responseId }) => ids.has(responseId));
}

/** Whether a page shows anything that has still to be dealt with. Nothing of it is handed out. */
export async function hasNews(survey: Survey, page: Page): Promise<boolean> {
  const reading = new Reading(survey, { order: "desc", from: 1, origin: "head" });
  await reading.classify(page);
  return reading.see(page).withNews.has(page.number);
}

async function* processed(
  survey: Survey,
  reading: Reading,
  pages: AsyncGenerator<PageStep, ReadEnd>,
  { order, from }: { order: Order; from: number },
): AsyncGenerator<Processed, void> {
  for (;;) {
    const { value, done } = await pages.next();
    const step = await reading.process(value);
    if (!done) {
      yield step;
      continue;
    }
    noteEnd(survey, order, value, from);
    if (value.skipped.length > 0) survey.ports.observe({ kind: "skipped", surveyId: survey.id });
    if (value.kind === "end" && (value.seen === "twice" || value.seen === "skipped"))
      survey.note({ kind: "end seen", lastPage: value.last });
    yield { ...step, end: value };
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
