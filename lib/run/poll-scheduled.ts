import { MINUTE } from "../config/units.ts";
import { describeFailure } from "../monitoring/log.ts";
import { PollFailedError, type PollOutput, type PollSourcesRequest, pollSources } from "./poll-sources.ts";

/** Sends one message for each of these delays, in seconds. Each starts a tick of the source. */
export type SendTicks = (source: string, delays: readonly number[]) => Promise<void>;

export interface ScheduledRequest extends PollSourcesRequest {
  /** Epoch milliseconds at which the message was sent that starts this tick. Undefined where the schedule itself starts it. */
  sentAt?: number | undefined;
  /** Undefined where no source has ticks within a minute. */
  sendTicks?: SendTicks | undefined;
}

/**
 * What a schedule starts, or a message that such a tick has sent. A schedule cannot come more than once a minute. So its tick sends, before
 * all else, the messages for the ticks within its minute. A message sends none: one that is lost costs its own tick.
 *
 * A tick that failed has told so in the log, and by the metric that it has not written; the next one does its work. Thrown, it would lie in
 * the dead-letter queue for two weeks, and an alarm on that queue would outlast every short outage.
 */
export async function pollScheduled({ sentAt, sendTicks, ...request }: ScheduledRequest): Promise<PollOutput> {
  if (sentAt === undefined) await sendWithinMinute(sendTicks, request);
  else if (Date.now() - sentAt >= MINUTE) {
    for (const { source } of request.graphs) {
      request.logger.info("left: the minute of this tick is over", { source: source.name });
    }
    return { ticks: [] };
  }
  try {
    return await pollSources(request);
  } catch (error) {
    if (!(error instanceof PollFailedError)) throw error;
    return { ticks: [], failed: { code: error.code, reason: error.message, hint: error.hint } };
  }
}

async function sendWithinMinute(
  sendTicks: SendTicks | undefined,
  { graphs, logger }: Pick<PollSourcesRequest, "graphs" | "logger">,
): Promise<void> {
  if (sendTicks === undefined) return;
  for (const { source } of graphs) {
    const delays = delaysWithinMinute(source.interval);
    if (delays.length === 0) continue;
    try {
      await sendTicks(source.name, delays);
    } catch (error) {
      const { message: reason, ...failure } = describeFailure(error);
      logger.warn("ticks not sent", { source: source.name, ...failure, reason });
    }
  }
}

/**
 * Seconds after the tick of a schedule at which the others of its minute come.
 *
 * @example delaysWithinMinute(20_000) // [20, 40]
 */
function delaysWithinMinute(interval: number): number[] {
  return Array.from({ length: Math.ceil(MINUTE / interval) - 1 }, (_, i) => ((i + 1) * interval) / 1000);
}
