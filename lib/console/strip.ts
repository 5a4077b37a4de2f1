import type { StripPoint } from "./changes.ts";

/** Milliseconds over which the lag is taken. */
const WINDOW = 60_000;

/** Counts what happens until the next point is taken. */
export function createStrip() {
  let requests = { ok: 0, refused: 0, failed: 0 };
  let lags: { at: number; lag: number }[] = [];
  return {
    /** @param status that of HTTP; undefined when no answer came */
    request(status: number | undefined): void {
      const isFailed = status === undefined || status >= 500 || (status >= 400 && status !== 404 && status !== 429);
      requests[status === 429 ? "refused" : isFailed ? "failed" : "ok"] += 1;
    },
    lag: (lag: number, at: number) => void lags.push({ at, lag }),
    take(at: number): StripPoint {
      lags = lags.filter((one) => one.at > at - WINDOW);
      const sorted = lags.map(({ lag }) => lag).sort((a, b) => a - b);
      const point = { at, requests, p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) };
      requests = { ok: 0, refused: 0, failed: 0 };
      return point;
    },
  };
}

/** The least value that this part of all is not above. */
function quantile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}
