import { PollerError } from "../errors.ts";
import type { MonitoringLevel } from "../monitoring/catalog.ts";
import {
  type CredentialsProblem,
  credentialsProblem,
  tellProblem,
  tellSolved,
} from "../monitoring/credentials-problem.ts";
import { type DescribedFailure, describeFailure, type Log } from "../monitoring/log.ts";
import { watchRun } from "../monitoring/watch-run.ts";
import { redrive, type SurveyRedrive } from "../polling/survey/redrive.ts";
import { tick } from "../polling/tick/tick.ts";
import type { TickSummary } from "../polling/tick/tick-summary.ts";
import type { SourceGraph } from "./wiring.ts";

/** A source that was not polled, and what a person has to see to before it can be. */
export interface BlockedSource extends CredentialsProblem {
  source: string;
}

export interface PollOutput {
  /** One for each source that was polled. */
  ticks: TickSummary[];
  /** Sources without credentials that work; only when there are any. */
  blocked?: BlockedSource[];
  /** What a redrive put back, by survey; only after a redrive. */
  redriven?: SurveyRedrive[];
  /** Why a scheduled tick failed; only then. */
  failed?: { code: string; reason: string; hint: string };
}

export interface PollSourcesRequest {
  graphs: SourceGraph[];
  owner: string;
  /** Milliseconds left for this invocation. */
  remaining: () => number;
  logger: Log;
  /** How much is written as metrics. Default "minimal". */
  level?: MonitoringLevel;
}

export interface RedriveSourceRequest extends Omit<PollSourcesRequest, "graphs" | "level"> {
  graph: SourceGraph;
  surveyIds: number[];
}

/** One tick of each source failed as a whole; the sources after the first failure were polled all the same. */
export class PollFailedError extends PollerError {
  readonly code: string;
  constructor(first: DescribedFailure) {
    super(first.message, { hint: first.hint, retryable: true });
    this.code = first.code;
  }
}

/** Time kept for bringing the state home when an invocation runs out of time. */
export const RESERVE = 20_000;

/**
 * Ticks each source in turn. A source that fails does not keep the others from being polled; the first failure is thrown at the end. One
 * without credentials that work is no failure: it would be one at each tick until a person has seen to it, and each would leave a message in
 * the dead-letter queue that outlasts its mending by two weeks.
 */
export async function pollSources(request: PollSourcesRequest): Promise<PollOutput> {
  const ticks: TickSummary[] = [];
  const blocked: BlockedSource[] = [];
  let failure: DescribedFailure | undefined;
  for (const { source, ports: unwatched, service, settle } of request.graphs) {
    const { ports, ...watch } = watchRun(unwatched, source, request.level);
    try {
      const deadline = ports.clock.now() + Math.max(0, request.remaining() - RESERVE);
      const summary = await tick({ ports, source, service, owner: request.owner, deadline });
      ticks.push(summary);
      watch.ended(summary, request.logger);
      // One that a pause has ended has not asked for anything.
      if (summary.pausedUntil === undefined) tellSolved(source, request.logger);
    } catch (error) {
      watch.failed(error);
      const problem = credentialsProblem(error);
      if (problem !== undefined) {
        blocked.push({ source: source.name, ...problem });
        tellProblem(source, problem, request.logger);
        continue;
      }
      const described = describeFailure(error);
      // "message" is the logger's own word: a detail of that name would be dropped.
      const { code, message: reason, hint } = described;
      request.logger.error("tick failed", { source: source.name, code, reason, hint });
      failure ??= described;
    } finally {
      watch.publish();
      await settle();
    }
  }
  if (failure !== undefined) throw new PollFailedError(failure);
  return { ticks, ...(blocked.length === 0 ? {} : { blocked }) };
}

/**
 * The same for a schedule. A tick that failed has told so in the log, and by the metric that it has not written; the next one does its work.
 * Thrown, it would lie in the dead-letter queue for two weeks, and an alarm on that queue would outlast every short outage.
 */
export async function pollScheduled(request: PollSourcesRequest): Promise<PollOutput> {
  try {
    return await pollSources(request);
  } catch (error) {
    if (!(error instanceof PollFailedError)) throw error;
    return { ticks: [], failed: { code: error.code, reason: error.message, hint: error.hint } };
  }
}

/** Puts quarantined responses of some surveys of a source back on their way; they go out at its next tick. */
export async function redriveSource({ graph, ...request }: RedriveSourceRequest): Promise<PollOutput> {
  const { ports, source, settle } = graph;
  const deadline = ports.clock.now() + Math.max(0, request.remaining() - RESERVE);
  try {
    const redriven = await redrive({ ports, source, surveyIds: request.surveyIds, owner: request.owner, deadline });
    for (const survey of redriven) {
      request.logger[survey.outcome === "failed" ? "warn" : "info"]("redrive", { source: source.name, ...survey });
    }
    return { ticks: [], redriven };
  } finally {
    await settle();
  }
}
