import type { MonitoringLevel } from "../../monitoring/catalog.ts";
import { credentialsProblem, tellProblem, tellSolved } from "../../monitoring/credentials-problem.ts";
import { describeFailure, type Log } from "../../monitoring/log.ts";
import { watchRun } from "../../monitoring/watch-run.ts";
import { catchUpSlice, type SliceSummary } from "../../polling/survey/catch-up-slice.ts";
import { SLICE_WAITS } from "../../polling/survey/slices.ts";
import { RESERVE } from "../poll-sources.ts";
import type { SourceGraph } from "../wiring.ts";
import { readSliceMessage } from "./message.ts";

/** A message as the queue hands it over. */
export interface QueuedMessage {
  messageId: string;
  body: string;
}

export interface RunSlicesRequest {
  graphs: SourceGraph[];
  messages: QueuedMessage[];
  owner: string;
  /** Milliseconds left for this invocation. */
  remaining: () => number;
  logger: Log;
  /** How much is written as metrics. Default "minimal". */
  level?: MonitoringLevel;
}

/**
 * Works off one slice for each message. Gives the ids of the messages that failed: the queue hands these over again, and in the end to its
 * dead-letter queue. The ticks do not wait for that: they queue another slice before long.
 */
export async function runSlices(request: RunSlicesRequest): Promise<string[]> {
  const failed: string[] = [];
  for (const { messageId, body } of request.messages) {
    try {
      await runSlice(request, body);
    } catch (error) {
      failed.push(messageId);
      // "message" is the logger's own word: a detail of that name would be dropped.
      const { code, message: reason, hint } = describeFailure(error);
      request.logger.error("slice failed", { code, reason, hint });
    }
  }
  return failed;
}

async function runSlice({ graphs, owner, remaining, logger, level }: RunSlicesRequest, body: string): Promise<void> {
  const { source: name, surveyId, until, number } = readSliceMessage(body);
  const graph = graphs.find(({ source }) => source.name === name);
  // Removed from the configuration, or no longer enabled, since a tick has queued it.
  if (graph === undefined) return;
  const { source, service, settle } = graph;
  const { ports, ...watch } = watchRun(graph.ports, source, level);
  try {
    const { clock } = ports;
    const began = clock.now();
    const deadline = began + Math.max(0, remaining() - RESERVE);
    const attempt = (): Promise<SliceSummary> =>
      catchUpSlice({ ports, source, service, surveyId, owner, until, number, deadline });
    let summary = await attempt();
    // Given up at once it would keep a backlog waiting for a message that has come: while the bus refuses requests a tick holds a survey for
    // seconds, and with a short interval the next one takes it again within a moment. Each attempt knows anew by when it has to end.
    while (summary.outcome === "busy" && clock.now() < Math.min(began + SLICE_WAITS, deadline))
      summary = await attempt();
    const { failure, ...rest } = summary;
    if (failure !== undefined) {
      logger.warn("survey failed", { source: name, surveyId, code: failure.code, reason: failure.message });
    }
    if (rest.emitted + rest.waiting + rest.withheld > 0)
      logger.info("slice", { source: name, ...rest, ...watch.details() });
    if (rest.emitted > 0) tellSolved(source, logger);
  } catch (error) {
    const problem = credentialsProblem(error);
    if (problem === undefined) throw error;
    // Done with: the ticks queue another slice once they can poll the source themselves.
    tellProblem(source, problem, logger);
  } finally {
    watch.publish();
    await settle();
  }
}
