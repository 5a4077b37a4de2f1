import type { Hint, SurveyRow } from "./model/account.ts";
import type { Survey } from "./survey.ts";

// What the counts of the survey list tell of responses that no scan has found (R21). Pure functions.

/** Milliseconds for which a hint in vain rests, twice as long each time. */
const FIRST_REST = 3_600_000;
const LONGEST_REST = 24 * 3_600_000;

export interface HintPoll {
  /** By how much the counts have grown since the row was written; and new responses met since then. */
  grown: number;
  found: number;
  /** Completed responses that the single read has shown and only pages can give. */
  sought: number;
  /** What came of looking below the head for what counts show. In vain: all pages were read, by now or in earlier polls, and nothing was met. */
  below?: "found" | "vain" | undefined;
  /** Whether a backlog is under way; and whether this poll has closed the books. */
  isBehind: boolean;
  closedNow: boolean;
}

/**
 * The hint after a poll. A count that moves without a find at the head is one: below the head it is looked for at once. In vain it rests for an hour, then for two, up
 * to a day. A find below the head ends the rest. Books that close have met all that counts show. What was found beyond what counts had shown is taken off what they
 * show next.
 *
 * Example: a count moves at 12:00 for a response that has only been started. The list is read to its end at 12:00, at 13:00 and at 15:00. Or it moves for a response, and
 * another one completes before the head is read: what moves at 12:01 for that one is no hint.
 */
export function nextHint(
  hint: Hint | undefined,
  { grown, sought, below, found, isBehind, closedNow }: HintPoll,
  now: number,
): Hint | undefined {
  // A backlog meets what was there before it. What counts show beyond the news above it is looked for once it is done.
  if (isBehind) {
    const more = Math.max(0, grown - found);
    return more === 0 ? hint : { tries: 0, nextAt: now, ...hint, missing: (hint?.missing ?? 0) + more };
  }
  const before = closedNow ? 0 : (hint?.missing ?? 0);
  const more = grown + sought - found;
  // Only where counts have moved they may be behind what was found.
  if (before + more < 0 && grown === 0) return before < 0 ? hint : undefined;
  // Responses that are never counted would add up, and hide later ones: no more is owed than this poll has found.
  const missing = Math.max(before + more, -found);
  if (missing === 0) return undefined;
  const { tries = 0, nextAt = now } = below === "found" ? {} : (hint ?? {});
  if (below === "vain")
    return { missing, tries: tries + 1, nextAt: now + Math.min(LONGEST_REST, FIRST_REST * 2 ** tries) };
  return { missing, tries, nextAt: sought > 0 ? now : nextAt };
}

/** By how much the counts have grown since the last poll: the one that has grown most. Behind books that have closed since then, by what they show beyond these alone. */
export function grownBy(
  counts: SurveyRow["counts"],
  row: Pick<SurveyRow, "counts" | "polledAt"> | undefined,
  books?: { closedAt: number; listed: number },
): number {
  const isRead = row !== undefined && books !== undefined && books.closedAt > row.polledAt;
  const grown = counts.map((count, i) => {
    const more = (count ?? 0) - (row?.counts[i] ?? count ?? 0);
    return isRead ? Math.min(more, (count ?? 0) - books.listed) : more;
  });
  return Math.max(0, ...grown);
}

/**
 * New responses met since the row was written, also by polls that have failed since. Those that a backlog has met beside the ticks were there before, and settle
 * nothing of what counts have shown.
 */
export function foundSince(row: SurveyRow | undefined, { found, lease }: Pick<Survey, "found" | "lease">): number {
  return found - ((row?.isBehind ? lease.state.found : row?.found) ?? 0);
}
