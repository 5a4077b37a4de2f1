import type { PollContext } from "../context.ts";
import type { Clock } from "../ports.ts";

/** Looks that say the same, and milliseconds from the first to the last of them, after which they are believed whatever the counts say. */
const LOOKS = 3;
const WITHIN = 3_600_000;

export function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.every(milliseconds, () => {
      stop();
      resolve();
    });
  });
}

/** Whether a look shows all that is counted, or a full page. */
export function agreesWithCounts({ mark, listedCount }: PollContext, shown: number, isFullPage: boolean): boolean {
  const agrees = isFullPage || (shown > 0 && shown >= (listedCount ?? 0)) || listedCount === 0;
  if (agrees) delete mark.look;
  return agrees;
}

/**
 * Whether a look at the beginning of a survey's list is believed, by the number of responses that it has shown (R16). A glitch is no end of history: if a list read
 * as empty for a moment were believed, all of it would be new afterwards.
 *
 * | shown | the survey list counts | believed |
 * |---|---|---|
 * | a full page, or as many as are counted | any | at once |
 * | none | nothing can be read | at the second look, a poll later |
 * | fewer than are counted | more | when three looks over an hour have shown no fewer than those before |
 */
export function isBelieved(ctx: PollContext, shown: number, isFullPage: boolean): boolean {
  const { mark, listedCount, ports } = ctx;
  const now = ports.clock.now();
  if (agreesWithCounts(ctx, shown, isFullPage)) return true;
  // A list that only grows says the same.
  const { since, looks } = mark.look !== undefined && mark.look.shown <= shown ? mark.look : { since: now, looks: 0 };
  mark.look = { shown, since, looks: looks + 1 };
  if (listedCount === undefined) return mark.look.looks > 1 && mark.look.since < now;
  return mark.look.looks >= LOOKS && now - mark.look.since >= WITHIN;
}
