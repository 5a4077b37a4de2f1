import { isDateString } from "../../../lib/events/build/date-string.ts";
import type { DateRange } from "../../../lib/polling/model/phase.ts";
import { UsageError } from "../../flags.ts";

/**
 * Reads a range of dates. A day alone is all of it: from its first second, or to its last.
 *
 * @throws UsageError
 * @example rangeOf("2026-01-01", "2026-01-31") // { from: "2026-01-01 00:00:00", to: "2026-01-31 23:59:59" }
 */
export function rangeOf(from: string, to: string): DateRange {
  const range = { from: dateOf("--from", from, "00:00:00"), to: dateOf("--to", to, "23:59:59") };
  if (range.from <= range.to) return range;
  throw new UsageError("--from is after --to", { hint: "Give the earlier date first." });
}

function dateOf(flag: string, text: string, time: string): string {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text} ${time}` : text.replace("T", " ");
  if (isDateString(date)) return date;
  const hint = 'Give one such as 2026-01-31 or "2026-01-31 18:00:00", as the survey service writes them.';
  throw new UsageError(`${flag} is no date`, { hint });
}
