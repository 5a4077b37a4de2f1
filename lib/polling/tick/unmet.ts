import type { SurveyRow, Unmet } from "../model/account.ts";
import type { Books } from "../model/books.ts";
import type { PollResult } from "../survey/poll-survey.ts";

/** The outcome of a poll, as far as unmet counts go. */
export interface UnmetPoll extends Pick<PollResult, "headRead" | "missing" | "foundBelow" | "vain" | "resumed"> {
  counts: Pick<PollResult["counts"], "found">;
}

/** Ticks that read the head after a count has moved without a find: lists may lag behind counts. After so many of them it is looked for below, too. */
const OWED_TICKS = 5;
const HEAD_ALONE = 2;
/** Milliseconds for which a search rests that has found nothing to the end of the list: starts and unpaid responses may move counts too. */
const REST_AFTER_END = 3_600_000;

export const noneUnmet: Unmet = { missing: 0, owed: 0, seeking: false, restUntil: 0, deep: false };

/**
 * By how much the counts have grown since the last poll: the one that has grown most. Where a backlog has closed the books since then, they have grown by what they
 * show beyond these alone.
 */
export function grownBy(counts: SurveyRow["counts"], row: SurveyRow | undefined, books?: Books): number {
  const isRead = row !== undefined && books !== undefined && books.closedAt > row.polledAt;
  return Math.max(
    0,
    ...counts.map((count, i) => {
      const grown = (count ?? 0) - (row?.counts[i] ?? count ?? 0);
      return isRead ? Math.min(grown, (count ?? 0) - books.listed) : grown;
    }),
  );
}

/**
 * First the head is read for some more ticks. After two of them the missing responses are searched for below it, too. A search in vain rests for an hour. Example: a
 * count moves at 12:00 for a late completion on page 60. The head is read at 12:00, 12:01 and 12:02, and the search begins at 12:02.
 */
export function nextUnmet(grown: number, row: SurveyRow | undefined, poll: UnmetPoll, now: number): Unmet {
  if (row === undefined) return noneUnmet;
  const { unmet } = row;
  const found = poll.resumed ? 0 : poll.counts.found;
  const missing = Math.max(0, unmet.missing + grown + poll.missing - found);
  const deep = poll.foundBelow > 0 || (unmet.deep && found === 0);
  // What a failed poll has found settles it, though the search after it finds nothing any more.
  const isInVain = unmet.seeking && poll.vain > 0 && found === 0;
  const restUntil = isInVain ? now + REST_AFTER_END : unmet.restUntil;
  if (missing === 0) return { ...noneUnmet, restUntil, deep };
  // It is known to be complete. A search rests because counts may move for other reasons, so this one does not.
  if (poll.missing > 0) return { missing, owed: 0, seeking: true, restUntil: 0, deep };
  const hasGrown = grown > found;
  const owed = hasGrown ? OWED_TICKS : Math.max(0, unmet.owed - (poll.headRead ? 1 : 0));
  // A search uses up what it was made for. What counts have shown since waits for the next one.
  const goesOn = unmet.seeking && (!isInVain || missing > poll.vain);
  // A count that moves while searches rest is followed up once that is over.
  const seeking = goesOn || deep || (restUntil > now ? hasGrown : owed <= OWED_TICKS - HEAD_ALONE);
  // Nothing more is done about a response that cannot be found.
  if (owed === 0 && !seeking) return { ...noneUnmet, restUntil };
  return { missing, owed, seeking, restUntil, deep };
}

/** Whether the unmet asks for another reading of the head. */
export function asksForHead({ owed }: Unmet): boolean {
  return owed > 0;
}

/** Whether a search below the head is to go on at `now`. */
export function asksForSearch({ seeking, restUntil }: Unmet, now: number): boolean {
  return seeking && restUntil <= now;
}
