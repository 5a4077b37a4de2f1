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
  const { graphs, logger } = request;
  if (sentAt !== undefined && Date.now() - sentAt >= MINUTE) {
    for (const { source } of graphs) logger.info("left: the minute of this tick is over", { source: source.name });
    return { ticks: [] };
  }
  if (sentAt === undefined && sendTicks !== undefined) await sendWithinMinute(sendTicks, request);
  try {
    return await pollSources(request);
  } catch (error) {
    if (!(error instanceof PollFailedError)) throw error;
    return { ticks: [], failed: { code: error.code, reason: error.message, hint: error.hint } };
  }
}

async function sendWithinMinute(sendTicks: SendTicks, { graphs, logger }: PollSourcesRequest): Promise<void> {
  for (const { source } of graphs) {
    // Seconds after the tick of the schedule: of an interval of 20 s these are 20 and 40.
    const ticks = Math.ceil(MINUTE / source.interval) - 1;
    const delays = Array.from({ length: ticks }, (_, i) => ((i + 1) * source.interval) / 1000);
    if (delays.length === 0) continue;
    try {
      await sendTicks(source.name, delays);
    } catch (error) {
      const { message: reason, ...failure } = describeFailure(error);
      logger.warn("ticks not sent", { source: source.name, ...failure, reason });
    }
  }
}
