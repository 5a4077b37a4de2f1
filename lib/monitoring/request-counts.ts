import { type RequestEvent, requestChannel } from "../survey-api/diagnostics.ts";

/** HTTP requests to the survey service by their outcome. */
export interface RequestCounts {
  all: number;
  /** Refused for now: 429. */
  throttled: number;
  /** No answer, or a fault of the service's own. */
  failed: number;
}

/**
 * Counts the requests that this process makes until `stop` is called. Requests do not say of which source they are. On one machine the
 * backlogs of several are worked off side by side, so each counts the others' requests too.
 */
export function countRequests(): { counts: RequestCounts; stop: () => void } {
  const counts: RequestCounts = { all: 0, throttled: 0, failed: 0 };
  const count = (message: unknown): void => {
    const { status } = message as RequestEvent;
    counts.all += 1;
    if (status === 429) counts.throttled += 1;
    if (status === undefined || status >= 500) counts.failed += 1;
  };
  requestChannel.subscribe(count);
  return { counts, stop: () => void requestChannel.unsubscribe(count) };
}
