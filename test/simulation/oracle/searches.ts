import type { Chase } from "../../../lib/polling/state-types.ts";

/** When the poller itself says of surveys that it searches for what their counts have shown, or rests from that. */
export interface SearchLog {
  saved(surveyId: number, chase: Chase): void;
  /** At `at`, in epoch milliseconds. */
  wasUnderWay(surveyId: number, at: number): boolean;
}

export function createSearchLog(now: () => number): SearchLog {
  const searches = new Map<number, { from: number; to: number }[]>();

  return {
    saved(surveyId, { seeking, restUntil }) {
      const all = searches.get(surveyId) ?? [];
      const last = all.at(-1);
      if (last !== undefined) last.to = Math.min(last.to, now());
      const to = seeking ? Number.POSITIVE_INFINITY : restUntil;
      if (to > now()) all.push({ from: now(), to });
      searches.set(surveyId, all);
    },
    wasUnderWay: (surveyId, at) => (searches.get(surveyId) ?? []).some(({ from, to }) => from <= at && at < to),
  };
}
