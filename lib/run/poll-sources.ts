import { PollerError } from "../errors.ts";
import {
  type CredentialsProblem,
  credentialsProblem,
  tellProblem,
  tellSolved,
} from "../monitoring/credentials-problem.ts";
import { type DescribedFailure, describeFailure, fromLevel, type Log } from "../monitoring/log.ts";
import { watchRun } from "../monitoring/watch-run.ts";
import type { Writing } from "../monitoring/write-metrics.ts";
import { concernsWholeSource, type TickSummary, tick, workOffBacklogs } from "../polling/index.ts";
import type { SourceGraph } from "./wiring.ts";

/** A source that was not polled, and what a person has to see to before it can be. */
export type BlockedSource = CredentialsProblem & { source: string };

export interface PollOutput {
  /** One for each source that was polled. */
  ticks: TickSummary[];
  /** Sources without credentials that work; only when there are any. */
  blocked?: BlockedSource[];
  /** Why a scheduled tick failed; only then. */
  failed?: { code: string; reason: string; hint: string };
}

export interface PollSourcesRequest extends Writing {
  graphs: SourceGraph[];
  owner: string;
  /** Milliseconds left for this invocation. */
  remaining: () => number;
  logger: Log;
}

/** One tick of each source failed as a whole; the sources after the first failure were polled all the same. */
export class PollFailedError extends PollerError {
  readonly code: string;
  constructor(first: DescribedFailure) {
    super(first.message, { hint: first.hint, retryable: true });
    this.code = first.code;
  }
}

/** Milliseconds kept for bringing the state home when an invocation runs out of time: then nothing is asked of the service any more. */
export const RESERVE = 20_000;

/**
 * Ticks each source in turn, then works off their backlogs. A source that fails does not keep the others from being polled. The first
 * failure is thrown at the end. A source without credentials that work is no failure: it is put right by hand, and told by an alarm of its own.
 */
export async function pollSources(request: PollSourcesRequest): Promise<PollOutput> {
  const ends: TickEnd[] = [];
  for (const graph of request.graphs) ends.push(await runTick(graph, request));
  const behind = ends.filter(mayHaveBacklog).map(({ graph }) => graph);
  await Promise.all(behind.map((graph) => runBacklogs(graph, request)));
  const failed = ends.find((end) => "failure" in end);
  if (failed !== undefined) throw new PollFailedError(failed.failure);
  const blocked = ends.flatMap((end) => ("blocked" in end ? [end.blocked] : []));
  const ticks = ends.flatMap((end) => ("summary" in end ? [end.summary] : []));
  return { ticks, ...(blocked.length === 0 ? {} : { blocked }) };
}

/**
 * Where another invocation does the tick, or it has failed, nobody knows: this one looks. So neither a tick that takes all of its time nor a survey
 * list that fails keeps a backlog waiting.
 */
function mayHaveBacklog(end: TickEnd): boolean {
  if ("summary" in end) return end.summary.behind > 0 || end.summary.isBusy === true;
  return "failure" in end && !concernsWholeSource(end.failure);
}

type TickEnd =
  | { graph: SourceGraph; summary: TickSummary }
  | { graph: SourceGraph; blocked: BlockedSource }
  | { graph: SourceGraph; failure: DescribedFailure };

async function runTick(graph: SourceGraph, request: PollSourcesRequest): Promise<TickEnd> {
  const { source, service, begin, settle } = graph;
  const { owner } = request;
  const { deadline, abortsAt } = limitsOf(graph, request);
  const { ports, logger, ...watch } = watchRun(begin(abortsAt), source, request);
  try {
    const summary = await tick({ ports, source, service, owner, deadline });
    watch.ended(summary);
    // One that a pause has ended, or that was left to another invocation, has not asked for anything.
    if (summary.pausedUntil === undefined && summary.isBusy !== true) tellSolved(source, logger);
    return { graph, summary };
  } catch (error) {
    watch.failed(error);
    const problem = credentialsProblem(error);
    if (problem !== undefined) {
      tellProblem(source, problem, logger);
      return { graph, blocked: { source: source.name, ...problem } };
    }
    const failure = describeFailure(error);
    tellFailure(logger, "tick failed", source.name, failure);
    return { graph, failure };
  } finally {
    watch.publish();
    await settle();
  }
}

/** Works off the backlogs of a source, unless another invocation is at it. What fails is told; the ticks meet it as well, and fail by it. */
async function runBacklogs(graph: SourceGraph, request: PollSourcesRequest): Promise<void> {
  const { source, service, begin, settle } = graph;
  const { owner, remaining } = request;
  const logger = fromLevel(source.logLevel, request.logger);
  const { deadline, abortsAt } = limitsOf(graph, request);
  const given = begin(abortsAt);
  const isStopped = (): boolean => remaining() <= RESERVE;
  try {
    await workOffBacklogs({ ports: given, source, service, owner, deadline, isStopped }, async (work) => {
      const { ports, ...watch } = watchRun(given, source, request);
      try {
        const round = await work(ports);
        watch.roundEnded(round);
        return round;
      } finally {
        watch.publish();
      }
    });
  } catch (error) {
    const problem = credentialsProblem(error);
    if (problem === undefined) tellFailure(logger, "backlog failed", source.name, describeFailure(error));
    else tellProblem(source, problem, logger);
  } finally {
    await settle();
  }
}

/** By when an invocation ends, in epoch milliseconds: what is begun before `deadline` is over before `abortsAt`, unless it is tried again. */
export function limitsOf(
  { source: { timeouts } }: SourceGraph,
  { remaining }: Pick<PollSourcesRequest, "remaining">,
): { deadline: number; abortsAt: number } {
  const abortsAt = Date.now() + Math.max(0, remaining() - RESERVE);
  return { deadline: Math.max(Date.now(), abortsAt - timeouts.connect - timeouts.response), abortsAt };
}

function tellFailure(logger: Log, what: string, source: string, { message, ...failure }: DescribedFailure): void {
  // "message" is the logger's own word: a detail of that name would be dropped.
  logger.error(what, { source, ...failure, reason: message });
}
