import type { SourceConfig } from "../../../lib/config/index.ts";
import type { SourceState, SurveyState } from "../../target/state.ts";
import { count, span, utc } from "../../words.ts";
import type { AuditCost } from "./answer.ts";

const PER_PAGE = 100;
/** Each page is read again, and the end of the list is looked at from both sides. */
const READS = 2;
const AT_THE_END = 4;

/** Pages of a list as they were counted when its end was seen last; else at least so many. */
export function pagesOf({ mark, row }: SurveyState): { pages: number; isExact: boolean } {
  const least = Math.max(1, Math.ceil((row?.counts[0] ?? 0) / PER_PAGE));
  return { pages: Math.max(mark.lastPage ?? 0, least), isExact: mark.lastPage !== undefined };
}

/** The requests and the time that a full pass of these surveys costs. */
export function costOf(
  { account }: Pick<SourceState, "account">,
  surveys: readonly SurveyState[],
  source: Pick<SourceConfig, "backgroundRequests" | "interval" | "maxRequestsPerSecond">,
  at: { isNow: boolean; now: number },
): AuditCost {
  const known = surveys.map(pagesOf);
  const pages = known.reduce((sum, one) => sum + one.pages, 0);
  const requests = READS * pages + AT_THE_END * surveys.length;
  const { requestsPerSecond: learned } = (account.learned ?? {}) as { requestsPerSecond?: number };
  const rate = Math.min(learned ?? Number.POSITIVE_INFINITY, source.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY);
  // Full passes have half of the budget; ticks may follow at once where a run is driven by hand.
  const ticks = Math.ceil(requests / Math.max(1, source.backgroundRequests / 2));
  return {
    pages,
    isExact: known.every(({ isExact }) => isExact),
    requests,
    seconds: rate === Number.POSITIVE_INFINITY ? null : Math.ceil(requests / rate),
    by: at.isNow ? null : at.now + ticks * source.interval,
  };
}

/** "It reads 12 pages, about 28 requests; …" */
export function costText({ pages, isExact, requests, seconds, by }: AuditCost): string {
  const rate = seconds === null ? "" : ` At the rate that was learned they take ${span(seconds * 1_000)}.`;
  const end = by === null ? "" : ` Within the background budget it is done by ${utc(by)}.`;
  const least = isExact ? "" : "at least ";
  return `It reads ${least}${count(pages, "page")}, about ${count(requests, "request")}.${rate}${end}`;
}
