import pLimit, { type LimitFunction } from "p-limit";
import type { SurveyDefinition } from "../events/build/definition.ts";
import type { Learned } from "./learned.ts";
import type { Lease, Mark } from "./model/mark.ts";
import type { PollingSource, Start } from "./model/source.ts";
import type { Ports } from "./ports.ts";

/** Requests that slow work may still make now. The pages that it reads are counted without a call. */
export interface Allowance {
  left(): number;
  /** Counts requests of another kind; less than nothing gives some back. */
  spend(requests: number): void;
}

/** Knowledge of a survey's questions: what they are, or why events wait for them, or go out without. */
export interface KnownDefinition {
  definition?: SurveyDefinition;
  reasons: string[];
  missing: string[];
}

/** Everything that the poll of one survey works with. */
export interface PollContext {
  ports: Ports;
  source: PollingSource;
  surveyId: number;
  lease: Lease;
  /** Epoch milliseconds at which the lease was taken: by that one poll is told from another. */
  leasedAt: number;
  /** Changed in memory as the poll goes on; written under the lease's fence. */
  mark: Mark;
  /** Epoch milliseconds after which no new page is begun. */
  deadline: number;
  /** The same for a backlog: what is left of it goes on with another turn. */
  streamUntil: number;
  start: Start;
  /** Largest of the counts that the survey list shows; undefined when it shows none. */
  listedCount: number | undefined;
  /** The requests left to a background poll; undefined in a poll for news. */
  allowance: Allowance | undefined;
  /** Shared by all polls of a tick. */
  learned: Learned;
  /** Set when the lease could not be prolonged meanwhile. */
  lost: unknown;
  /** The first failure that concerned some response alone, which is left to the next poll (see `orLeave`). */
  failure: unknown;
  /** Requests to the bus: one at a time, but in a backlog. Of each that is cut off ten events may come twice. */
  publishing: LimitFunction;
  /** The questions of the survey, once this poll has asked for them. */
  definition: Promise<KnownDefinition> | undefined;
}

/** Does work that is news and so free of the background budget: the pages that `work` reads are given back. */
export async function asNews<T>({ allowance }: Pick<PollContext, "allowance">, work: () => Promise<T>): Promise<T> {
  if (allowance === undefined) return work();
  const before = allowance.left();
  try {
    return await work();
  } finally {
    allowance.spend(allowance.left() - before);
  }
}

/** Requests to the bus at once in a backlog. */
const PUBLISHES_AT_ONCE = 4;

/**
 * Does the work of a backlog in a lane of its own: its requests wait behind those of other surveys, and of later polls of this one. Its events go out in several
 * requests at once. What goes on beside it keeps its own lane.
 */
export async function asBacklog<T>(ctx: PollContext, work: (lane: PollContext) => Promise<T>): Promise<T> {
  const { ports } = ctx;
  const lane: PollContext = {
    ...ctx,
    ports: { ...ports, service: ports.backlog ?? ports.service },
    publishing: pLimit(PUBLISHES_AT_ONCE),
  };
  try {
    return await work(lane);
  } finally {
    const { definition, failure, lost } = lane;
    Object.assign(ctx, {
      definition,
      failure: ctx.failure ?? failure,
      lost: ctx.lost ?? lost,
    });
  }
}
