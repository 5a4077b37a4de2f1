import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Progress } from "../polling/index.ts";
import type { RequestEvent } from "../survey-api/index.ts";
import { type StripPoint, surveyKey } from "./changes.ts";

/** Milliseconds over which the lag is taken, and for which something counts as going on. */
const LAGS_OF = 60_000;
const GOING_ON = 4_000;

/** Follows the function while it works in this process, by its diagnostics channels. */
export function followWork() {
  let requests = { ok: 0, refused: 0, failed: 0 };
  let lags: { at: number; lag: number }[] = [];
  let day = "";
  let requestsToday = 0;
  const goingOn = new Map<string, { at: number; text: string }>();

  const onRequest = (message: unknown): void => {
    const { status } = message as RequestEvent;
    const isFailed = status === undefined || status >= 500 || (status >= 400 && status !== 404 && status !== 429);
    requests[status === 429 ? "refused" : isFailed ? "failed" : "ok"] += 1;
    const today = new Date().toISOString().slice(0, 10);
    requestsToday = today === day ? requestsToday + 1 : 1;
    day = today;
  };
  const onProgress = (message: unknown): void => {
    const progress = message as Progress & { source: string };
    const say = ACTIVITIES[progress.kind] as ((of: Progress) => string) | undefined;
    if (say === undefined || !("surveyId" in progress)) return;
    const text = say(progress);
    goingOn.set(surveyKey(progress.source, progress.surveyId), { at: Date.now(), text });
  };
  subscribe("survey-poller:request", onRequest);
  subscribe("survey-poller:progress", onProgress);

  return {
    lag: (lag: number, at: number) => void lags.push({ at, lag }),
    /** The point of the strip for what has happened since the one before. */
    point(at: number): StripPoint {
      lags = lags.filter((one) => one.at > at - LAGS_OF);
      const sorted = lags.map(({ lag }) => lag).sort((a, b) => a - b);
      const point = { at, requests, p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) };
      requests = { ok: 0, refused: 0, failed: 0 };
      return point;
    },
    /** Requests of today (UTC). */
    requestsToday: () => requestsToday,
    /** What goes on in each survey, by `surveyKey`. */
    activities(now: number): Record<string, string> {
      for (const [survey, { at }] of goingOn) if (now - at > GOING_ON) goingOn.delete(survey);
      return Object.fromEntries([...goingOn].map(([survey, { text }]) => [survey, text]));
    },
    stop(): void {
      unsubscribe("survey-poller:request", onRequest);
      unsubscribe("survey-poller:progress", onProgress);
    },
  };
}

/** The words for what goes on, by its kind; the rest is not shown. */
const ACTIVITIES: { [Kind in Progress["kind"]]?: (progress: Extract<Progress, { kind: Kind }>) => string } = {
  page: ({ page }) => `reading page ${page}`,
  waiting: ({ count }) => `${count} waiting for metrics or metadata`,
  held: ({ count }) => `${count} held`,
  quarantined: () => "a response is quarantined",
  refused: () => "the bus has refused a response",
  "survey failed": ({ code }) => `failed: ${code}`,
  skipped: () => "a page was skipped",
};

/** The least value that this part of all is not above. */
function quantile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
