import { hash } from "node:crypto";
import { errorCode } from "../../errors.ts";
import { buildEvent, toUpdate } from "../../events/build/build-event.ts";
import { prove } from "../contents.ts";
import { notTaken, type PublishFailedError } from "../errors.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import type { Response } from "../model/response.ts";
import type { OutgoingEvent } from "../model/survey-state.ts";
import type { PublishOutcome, SealedEvent } from "../ports.ts";
import type { Survey } from "../survey.ts";
import { batchOf, observeSent, publishBatch } from "./bus.ts";
import { type Enrichment, enrich, missingOf } from "./enrich.ts";
import { OrderedPipeline } from "./ordered-pipeline.ts";
import { isSpared } from "./outage.ts";
import { entryOf, isNew, oldestFirst, type Reason, refusedEntry, waitingEntry } from "./response.ts";

// From responses to events that the bus has taken and entries in the ledger (R18).

/** An event with the contents of a response, ready for the bus. */
export interface ContentsEvent {
  event: Extract<OutgoingEvent, { type: "response.completed" | "response.updated" }>;
  sealed: SealedEvent;
}

/** Attempts after which an event that replaces another one goes out without what cannot be had. */
const MOST_REPAIRS = 3;
/** Requests to the bus in a row of which nothing is settled: from then on the bus is at fault, and not some event. */
const MOST_IN_VAIN = 2;
/** Milliseconds for which a batch that is not full waits for responses that are slow. */
const PERIOD = 1_000;

/** Makes an event ready for the bus: of now, where it is not said when it was detected. */
export async function makeEvent(
  survey: Survey,
  { responseId, records, details, origin, replaces }: Response,
  { definition, lacks }: Pick<Enrichment, "definition" | "lacks">,
  { revision = 1, detectedAt }: { revision?: number; detectedAt?: number } = {},
): Promise<ContentsEvent> {
  const { id: surveyId, state, source, ports } = survey;
  const time = ports.clock.now();
  const detail = buildEvent({
    sourceName: source.name,
    surveyId,
    responseId,
    survey: state.survey?.facts,
    listedAt: state.survey?.at,
    definition,
    questions: source.questions,
    records,
    metrics: details.metrics,
    metadata: details.metadata,
    missing: missingOf(lacks),
    origin,
    revision,
    detectedAt: detectedAt ?? time,
    timeZone: source.timeZone,
    thresholds: source.thresholds,
  });
  const { entry, changes = [], observedAt = time } = replaces ?? {};
  const event: ContentsEvent["event"] =
    entry === undefined
      ? { type: "response.completed", detail, time }
      : {
          type: "response.updated",
          detail: toUpdate(detail, { replaces: entry.eventId ?? "", changes, observedAt }),
          time,
        };
  return { event, sealed: await ports.publisher.seal(event) };
}

/** The responses of one page, on their way. */
interface Batch {
  /** Where a read may go on once it is settled. */
  position: number;
  /** Responses that are not in the state yet. One that is left stays among them: the read comes back to it. */
  open: number;
}

/** A response, and the page that it came with. */
interface Item {
  response: Response;
  page: Batch;
}

type ReadyItem = Item & ContentsEvent;

/** Brings responses to the bus, page after page and of each the oldest first, and enters them into the ledger. */
export class Publishing {
  readonly counts: PollCounts = noCounts();
  private readonly survey: Survey;
  private readonly pipeline: OrderedPipeline<Item, ReadyItem>;
  /** In their order, from the first one that is not settled. */
  private readonly pages: Batch[] = [];
  private settled: number | undefined;
  /** Batches in a row of which the bus took nothing. */
  private inVain = 0;

  /** `most`: responses between their page and the ledger. */
  constructor(survey: Survey, most: number) {
    this.survey = survey;
    this.pipeline = new OrderedPipeline({
      most,
      prepare: (item) => this.prepare(item),
      batch: batchOf,
      // Before the next one has its turn.
      send: (batch) => survey.publishing(() => this.send(batch).catch((error: unknown) => this.pipeline.fail(error))),
      every: (work) => survey.ports.clock.every(PERIOD, work),
    });
  }

  /** Takes the responses of a page, of which some others may be left. Once all up to it are settled a read may go on at `position`. Throws the first failure so far. */
  async take(responses: readonly Response[], position = 0, othersLeft = 0): Promise<void> {
    // Proofs come before any of them goes out: how records stand, as some show it, holds for the whole page and for all that follow.
    const { proved, left } = await prove(this.survey, responses).catch((error: unknown) => {
      this.pipeline.fail(error);
      throw error;
    });
    this.counts.left += left;
    const page: Batch = { position, open: proved.length + left + othersLeft };
    this.pages.push(page);
    this.passSettled();
    await this.pipeline.take(proved.sort(oldestFirst).map((response) => ({ response, page })));
  }

  /** The last position up to which all that was taken is settled; undefined before the first. */
  settledTo(): number | undefined {
    return this.settled;
  }

  /** Waits until everything is in the state. Throws the first thing that failed. */
  async end(): Promise<PollCounts> {
    await this.pipeline.end();
    return this.counts;
  }

  /** Notes that a response is in the state, or is left. */
  private settle(page: Batch, isLeft: boolean): void {
    if (isLeft) this.counts.left += 1;
    else page.open -= 1;
    this.passSettled();
  }

  /** The position goes up to the first page that is not settled, or of which something is left. */
  private passSettled(): void {
    for (let [first] = this.pages; first?.open === 0; [first] = this.pages) {
      this.settled = first.position;
      this.pages.shift();
    }
  }

  /** Asks for the details of a response, and makes its event. One that waits is noted. */
  private async prepare({ response, page }: Item): Promise<ReadyItem | undefined> {
    const made = await this.survey.orLeave(() => this.eventOf(response));
    if (typeof made === "object") return { page, ...made };
    if (made === "waits") this.noteWaiting(response);
    if (made === "later") this.counts.unreplaced += 1;
    this.settle(page, made === undefined);
    return undefined;
  }

  /** The event of a response; or that it waits, or is left as it is to a later read. */
  private async eventOf(response: Response): Promise<(ContentsEvent & { response: Response }) | "waits" | "later"> {
    const { survey } = this;
    // Absence is judged from the first time on that details were asked for: much may lie between that and the page.
    const firstSeen = response.attempts === 0 ? survey.ports.clock.now() : response.firstSeen;
    const asked = { ...response, firstSeen };
    const found = await enrich(survey, response.responseId, response.details, asked);
    const enriched: Response = { ...asked, details: found.details, took: found.took };
    if (response.replaces !== undefined) return this.updateOf(enriched, response.replaces.entry, found);
    // Hundreds may be spared at every tick: their entries are as they were, and due still.
    let reasons: Reason[] = found.lacks.filter(({ isFinal }) => !isFinal);
    if (reasons.length > 0 && !found.asked && response.used !== undefined) return "waits";
    if (reasons.length === 0) {
      try {
        return { response: enriched, ...(await makeEvent(survey, enriched, found)) };
      } catch (error) {
        // A response that has no place for its answers now waits for one.
        survey.leave(error);
        reasons = [{ part: "event", code: errorCode(error) }];
      }
    }
    await survey.write([await waitingEntry(survey, enriched, reasons)]);
    return "waits";
  }

  /**
   * An event that replaces another one. Its contents are in the ledger before the bus gets it: no revision has two (R19). The ledger has to go on saying emitted, so that
   * it cannot wait as others do: a later read tries again.
   */
  private async updateOf(response: Response, entry: LedgerEntry, found: Enrichment) {
    const isSparedNow = found.lacks.some(isSpared);
    // Details that are absent now may have been there when the replaced event went out: absence is no more certain than a failure.
    if (found.lacks.some(({ isFinal }) => !isFinal) && (isSparedNow || response.attempts + 1 < MOST_REPAIRS)) {
      await this.survey.write([{ ...entry, attempts: response.attempts + (isSparedNow ? 0 : 1) }]);
      return "later";
    }
    const said = [response.records, response.details, missingOf(found.lacks).sort()];
    const contents = hash("sha1", JSON.stringify(said), "base64url");
    const { revision: last = 1, next = { revision: last + 1, contents } } = entry;
    // Nobody knows whether other contents have gone out under the revision noted.
    const revision = next.contents === contents ? next.revision : next.revision + 1;
    const made = await makeEvent(this.survey, response, found, { revision });
    await this.survey.write([{ ...entry, next: { revision, contents } }]);
    return { response, ...made };
  }

  /** Publishes one batch, then enters it into the ledger: only then is it settled. What is left of it keeps the rest from nothing. */
  private async send(batch: ReadyItem[]): Promise<void> {
    const { survey, counts } = this;
    const { clock } = survey.ports;
    // Nothing more is published while the ledger has not taken everything: one request more would repeat more than those in flight.
    if (this.pipeline.hasFailed() || survey.state.pending !== undefined) {
      for (const { page } of batch) this.settle(page, true);
      return;
    }
    // fault: ledger-before-bus
    const { answers, bus } = await publishBatch(survey, batch);
    // fault: failed-counts-as-published
    const published = answers.flatMap(({ ready, outcome }) => (outcome.kind === "published" ? [ready] : []));
    const answeredAt = clock.now();
    let ledger: number | undefined;
    try {
      // The ledger comes first: whatever fails from here on, these are not to be published again.
      await enter(survey, published);
      ledger = clock.now() - answeredAt;
    } finally {
      observeSent(survey, answers, { bus, ledger });
    }
    addCounts(counts, countsOf(published));
    let failure: PublishFailedError | undefined;
    for (const { ready, outcome } of answers) {
      if (outcome.kind === "failed") {
        failure ??= notTaken(outcome.code);
        survey.leave(failure);
      }
      const isDealtWith = outcome.kind === "published" || (await this.noteNotTaken(ready.response, outcome));
      this.settle(ready.page, !isDealtWith);
    }
    if (answers.some(({ outcome }) => outcome.kind !== "failed")) this.inVain = 0;
    else this.inVain += 1;
    if (failure !== undefined && this.inVain >= MOST_IN_VAIN) throw failure;
  }

  /** Keeps for a redrive what the bus has refused for good. An event that it did not take now waits. False where it could not even be kept. */
  private async noteNotTaken(
    response: Response,
    { kind, code }: Exclude<PublishOutcome, { kind: "published" }>,
  ): Promise<boolean> {
    const { survey } = this;
    const isRefused = kind === "refused";
    // One that was to replace another event is made again by the read that finds it missing.
    if (!isRefused && response.replaces !== undefined) {
      this.counts.unreplaced += 1;
      return true;
    }
    const entry = await survey.orLeave(() =>
      isRefused ? refusedEntry(survey, response, code) : waitingEntry(survey, response, [{ part: "bus", code }]),
    );
    if (entry === undefined) return false;
    await survey.write([entry]);
    if (isRefused) {
      survey.note({ kind: "found", count: isNew(response) ? 1 : 0 });
      survey.ports.observe({ kind, surveyId: survey.id, responseId: response.responseId, code });
    } else this.noteWaiting(response);
    return true;
  }

  private noteWaiting(response: Response): void {
    const { counts, survey } = this;
    counts.waiting += 1;
    survey.note({ kind: "found", count: isNew(response) ? 1 : 0 });
    survey.ports.observe({ kind: "waiting", surveyId: survey.id, count: 1 });
  }
}

/** Of the events that have replaced another one those are repaired again that were short for the second time or more. */
function countsOf(published: readonly Item[]): Partial<PollCounts> {
  const replaced = published.flatMap(({ response: { replaces, records } }) =>
    replaces ? [{ ...replaces.entry, records }] : [],
  );
  const again = replaced.filter(({ count = 0, revision = 1, records }) => count < records.length && revision > 1);
  return { emitted: published.length - replaced.length, repaired: replaced.length, repairedAgain: again.length };
}

/** Enters published events into the ledger. What it does not take stands in the state, and nothing more is published before it is in. */
async function enter(survey: Survey, published: ReadyItem[]): Promise<void> {
  const { id: surveyId, ports } = survey;
  if (published.length === 0) return;
  const emittedAt = ports.clock.now();
  const entries = published.map(({ response, event }): LedgerEntry => {
    const { eventId, revision } = event.detail.meta;
    // fault: update-keeps-old-digest
    return { ...entryOf(survey, response, "emitted"), eventId, revision, emittedAt };
  });
  for (const { response } of published)
    survey.note({ kind: "emitted", responseId: response.responseId, completed: response.completed });
  survey.note({ kind: "found", count: published.filter(({ response }) => isNew(response)).length });
  try {
    await ports.state.putEntries(surveyId, await notOutdated(survey, entries));
  } catch (error) {
    // fault: pending-forgotten
    survey.note({ kind: "unwritten", entries });
    await survey.save();
    throw error;
  }
  // Kept records go only now: until the ledger had the events, these were all there was. An object that cannot be deleted goes with the bucket's own time.
  await Promise.allSettled(
    published.flatMap(({ response: { keptKey } }) => (keptKey ? [ports.vault.delete(keptKey)] : [])),
  );
}

/**
 * The entries without those of which the ledger has a later revision. A process that stood still beyond its lease after a publish may find that another one has
 * published and repaired them since.
 */
async function notOutdated(survey: Survey, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  if (survey.ports.clock.now() < survey.lease.until) return entries;
  const known = await survey.entries(entries.map(({ id }) => id));
  return entries.filter(({ id, revision = 1 }) => {
    const there = known.get(id);
    return there?.state !== "emitted" || (there.revision ?? 1) < revision;
  });
}
