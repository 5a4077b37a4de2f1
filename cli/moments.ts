import { UsageError } from "./flags.ts";

const FORM = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Epoch milliseconds of a point in time as a flag gives it. It is an ISO 8601 time with its zone, or a day, which begins at midnight UTC.
 *
 * @param flag such as "--from"
 * @throws UsageError
 * @example momentOf("--from", "2026-11-21T08:00:00Z")
 */
export function momentOf(flag: string, text: string): number {
  const at = FORM.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UsageError(`${flag} is no point in time`, {
    hint: `Give it as ${flag} 2026-11-21T08:00:00Z, or as a day (UTC): ${flag} 2026-11-21.`,
  });
}

/** A stretch of time, in epoch milliseconds, both ends included; without bounds where none is given. */
export interface Stretch {
  from: number;
  to: number;
}

/** @throws UsageError */
export function stretchOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Stretch {
  const stretch = {
    from: from === undefined ? 0 : momentOf("--from", from),
    to: to === undefined ? Number.POSITIVE_INFINITY : momentOf("--to", to),
  };
  if (stretch.from <= stretch.to) return stretch;
  throw new UsageError("--from is after --to", { hint: "Give the earlier time as --from." });
}

export function includes({ from, to }: Stretch, at: number): boolean {
  return at >= from && at <= to;
}
