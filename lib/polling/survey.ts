import pLimit, { type LimitFunction } from "p-limit";
import { endsWork, LeaseLostError, OutOfTimeError } from "./errors.ts";
import type { Learned } from "./learned.ts";
import { holdLease, LEASE_DURATION, underLease } from "./lease.ts";
import type { AccountState, SurveyRow } from "./model/account.ts";
import type { LedgerEntry } from "./model/ledger-entry.ts";
import type { PollingSource, Start } from "./model/source.ts";
import { type Lease, next, type SurveyEvent, type SurveyState } from "./model/survey-state.ts";
import type { Order, PageRead, Ports } from "./ports.ts";

/** Requests that slow work may still make. */
export interface Budget {
  left: number;
}

export interface SurveyRequest {
  ports: Ports;
  source: PollingSource;
  surveyId: number;
  owner: string;
  /** Epoch milliseconds after which no new page is begun. */
  deadline: number;
  /** The same for work that goes on later: backlogs, searches, and all that is no news. */
  turnUntil: number;
  start: Start;
  /** Largest of the counts that the survey list shows; undefined when it shows none. */
  listedCount: number | undefined;
  /** Shared by all polls of a tick. */
  learned: Learned;
}

/** No survey is polled before the start of its source stands. */
const NONE: Start = { from: "beginning", at: null };

/** The knowledge of a survey that its source as a whole gives, and its counts in the survey list. */
export function knownOf(
  { start = NONE }: AccountState,
  counts: SurveyRow["counts"] = [],
): Pick<SurveyRequest, "start" | "listedCount"> {
  const shown = counts.filter((count) => count !== null);
  return { start, listedCount: shown.length === 0 ? undefined : Math.max(...shown) };
}

/** Requests to the bus at once. Of each that is cut off ten events may come twice. */
const PUBLISHES_AT_ONCE = { news: 1, backlog: 4 };

/** One survey under its lease: everything that work on it needs. What happens to it is noted, and its state follows from that. */
export class Survey {
  readonly id: number;
  readonly ports: Ports;
  readonly source: PollingSource;
  readonly lease: Lease;
  /** Epoch milliseconds at which the lease was taken: by that one poll is told from another. */
  readonly leasedAt: number;
  readonly deadline: number;
  readonly turnUntil: number;
  readonly start: Start;
  readonly listedCount: number | undefined;
  readonly learned: Learned;
  /** Pays for the pages that are read; undefined where they are free. */
  readonly budget: Budget | undefined;
  readonly publishing: LimitFunction = pLimit(PUBLISHES_AT_ONCE.news);
  private readonly poll: { state: SurveyState; failure?: unknown };

  constructor(request: SurveyRequest, lease: Lease) {
    this.id = request.surveyId;
    this.ports = request.ports;
    this.source = request.source;
    this.lease = lease;
    this.leasedAt = request.ports.clock.now();
    this.deadline = request.deadline;
    this.turnUntil = request.turnUntil;
    this.start = request.start;
    this.listedCount = request.listedCount;
    this.learned = request.learned;
    this.budget = undefined;
    this.poll = { state: lease.state };
  }

  get state(): SurveyState {
    return this.poll.state;
  }

  get found(): number {
    return this.state.found ?? 0;
  }

  /** The first failure of what was left to the next poll. */
  get failure(): unknown {
    return this.poll.failure;
  }

  /** Changes the state in memory. `save` writes it, and so does the end of the work. */
  note(event: SurveyEvent): void {
    this.poll.state = next(this.poll.state, event);
  }

  save(): Promise<void> {
    return this.ports.state.saveState(this.lease, this.state);
  }

  /** The same survey for work that a budget pays for, or for news, which are free. */
  paidBy(budget: Budget | undefined): Survey {
    return this.with({ budget });
  }

  /** The same survey for a backlog: its requests wait behind those of other surveys, and its events go out in several requests at once. */
  asBacklog(): Survey {
    const { ports } = this;
    const lane = { ...ports, service: ports.backlog ?? ports.service };
    return this.with({ ports: lane, publishing: pLimit(PUBLISHES_AT_ONCE.backlog) });
  }

  /** The same survey but for these fields. What is noted of the one is noted of the other. */
  private with(fields: Partial<Pick<Survey, "ports" | "budget" | "publishing">>): Survey {
    return Object.assign(Object.create(this) as Survey, fields);
  }

  async page(page: number, order: Order): Promise<PageRead> {
    await holdLease(this);
    if (this.budget !== undefined) this.budget.left -= 1;
    this.ports.observe({ kind: "page", surveyId: this.id, page, order });
    return this.ports.service.page(this.id, page, order);
  }

  async entries(ids: Iterable<LedgerEntry["id"]>): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
    const all = [...new Set(ids)];
    const found = new Map<LedgerEntry["id"], LedgerEntry>();
    for (let i = 0; i < all.length; i += 100) {
      for (const [id, entry] of await this.ports.state.entries(this.id, all.slice(i, i + 100))) found.set(id, entry);
    }
    return found;
  }

  /** Writes entries under the lease. What was published is written without asking for that. */
  async write(entries: LedgerEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await holdLease(this);
    await this.ports.state.putEntries(this.id, entries);
  }

  /** Leaves a response, or a page, as due as it was: its failure is told at the end of the poll. One that concerns more is thrown again. */
  leave(error: unknown): void {
    // The work was cut off, which is no failure: what others have read meanwhile still goes out.
    if (error instanceof OutOfTimeError) return;
    if (endsWork(error)) throw error;
    this.poll.failure ??= error;
  }

  /** Undefined when the work, which concerns one response alone, failed: that is left. */
  async orLeave<T>(work: () => Promise<T>): Promise<NonNullable<T> | undefined> {
    try {
      return (await work()) ?? undefined;
    } catch (error) {
      this.leave(error);
      return undefined;
    }
  }
}

/** Works on a survey under its lease, and writes its state at the end, also after a failure. Undefined when someone else holds the lease, or has taken it meanwhile. */
export async function withSurvey<T>(
  request: SurveyRequest,
  work: (survey: Survey) => Promise<T>,
): Promise<T | undefined> {
  const { ports, surveyId, owner } = request;
  const lease = await ports.state.acquire(surveyId, owner, LEASE_DURATION);
  if (lease === undefined) return undefined;
  const survey = new Survey(request, lease);
  try {
    const done = await underLease(survey, async () => {
      await writePending(survey);
      return work(survey);
    });
    await ports.state.release(lease, survey.state);
    return done;
  } catch (error) {
    if (error instanceof LeaseLostError) return undefined;
    // The next tick need not wait for the lease to run out. The failure that led here is the one to report.
    await ports.state.release(lease, survey.state).catch(() => undefined);
    throw error;
  }
}

/** Before these are in the ledger nothing more may be published. */
async function writePending(survey: Survey): Promise<void> {
  const { pending = [] } = survey.state;
  if (pending.length === 0) return;
  await survey.ports.state.putEntries(survey.id, [...pending]);
  survey.note({ kind: "written" });
  await survey.save();
}
