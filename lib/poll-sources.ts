import { errorCode, PollerError } from "./errors.ts";
import { redrive, type SurveyRedrive } from "./polling/redrive.ts";
import { tick } from "./polling/tick.ts";
import type { TickSummary } from "./polling/tick-summary.ts";
import { publishFigures } from "./source-metrics.ts";
import type { SourceGraph } from "./wiring.ts";

export interface PollOutput {
  /** One for each source that was polled. */
  ticks: TickSummary[];
  /** What a redrive put back, by survey; only after a redrive. */
  redriven?: SurveyRedrive[];
}

/** The part of a logger that is used here. */
export interface Log {
  info(message: string, details: Record<string, unknown>): void;
  warn(message: string, details: Record<string, unknown>): void;
  error(message: string, details: Record<string, unknown>): void;
}

export interface PollSourcesRequest {
  graphs: SourceGraph[];
  owner: string;
  /** Milliseconds left for this invocation. */
  remaining: () => number;
  logger: Log;
}

export interface RedriveSourceRequest extends Omit<PollSourcesRequest, "graphs"> {
  graph: SourceGraph;
  surveyIds: number[];
}

/** One tick of each source failed as a whole; the sources after the first failure were polled all the same. */
export class PollFailedError extends PollerError {
  readonly code: string;
  constructor(first: { code: string; message: string; hint: string }) {
    super(first.message, { hint: first.hint, retryable: true });
    this.code = first.code;
  }
}

/** Time kept for bringing the state home when an invocation runs out of time. */
const RESERVE = 20_000;

/** Ticks each source in turn. A source that fails does not keep the others from being polled; the first failure is thrown at the end. */
export async function pollSources(request: PollSourcesRequest): Promise<PollOutput> {
  const ticks: TickSummary[] = [];
  let failure: { code: string; message: string; hint: string } | undefined;
  for (const { source, ports, service, settle } of request.graphs) {
    try {
      const deadline = ports.clock.now() + Math.max(0, request.remaining() - RESERVE);
      const summary = await tick({ ports, source, service, owner: request.owner, deadline });
      ticks.push(summary);
      report(request.logger, summary);
      publishFigures(summary);
    } catch (error) {
      const described = describe(error);
      // "message" is the logger's own word: a detail of that name would be dropped.
      const { code, message: reason, hint } = described;
      request.logger.error("tick failed", { source: source.name, code, reason, hint });
      failure ??= described;
    } finally {
      await settle();
    }
  }
  if (failure !== undefined) throw new PollFailedError(failure);
  return { ticks };
}

/** Puts quarantined responses of some surveys of a source back on their way; they go out at its next tick. */
export async function redriveSource({ graph, ...request }: RedriveSourceRequest): Promise<PollOutput> {
  const { ports, source } = graph;
  const deadline = ports.clock.now() + Math.max(0, request.remaining() - RESERVE);
  const redriven = await redrive({ ports, surveyIds: request.surveyIds, owner: request.owner, deadline });
  for (const survey of redriven) {
    request.logger[survey.outcome === "failed" ? "warn" : "info"]("redrive", { source: source.name, ...survey });
  }
  return { ticks: [], redriven };
}

/** One line for each tick with news, and for one that the service's pause has ended; nothing when there is neither. */
function report(logger: Log, summary: TickSummary): void {
  if (summary.pausedUntil !== undefined) {
    logger.warn("source paused", { source: summary.source, until: new Date(summary.pausedUntil).toISOString() });
  }
  const sum = (count: (survey: TickSummary["surveys"][number]) => number): number =>
    summary.surveys.reduce((total, survey) => total + count(survey), 0);
  const failed = summary.surveys.filter((survey) => survey.outcome === "failed");
  for (const { surveyId, failure } of failed) {
    logger.warn("survey failed", { source: summary.source, surveyId, code: failure?.code, reason: failure?.message });
  }
  for (const operation of summary.outages) logger.warn("outage", { source: summary.source, operation });
  const news = {
    emitted: sum((survey) => survey.emitted),
    waiting: sum((survey) => survey.waiting),
    quarantined: sum((survey) => survey.quarantined),
  };
  if (Object.values(news).some((count) => count > 0)) {
    logger.info("tick", { source: summary.source, listed: summary.listed, polled: summary.surveys.length, ...news });
  }
}

/** Only our own messages are fit for a log: others may quote what they were working on. */
function describe(error: unknown): { code: string; message: string; hint: string } {
  const code = errorCode(error);
  if (error instanceof PollerError) return { code, message: error.message, hint: error.hint };
  return { code, message: `unexpected ${code}`, hint: "See the function's log and its permissions." };
}
