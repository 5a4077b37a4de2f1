import type { PollContext } from "../context.ts";
import type { Place } from "../model/phase.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import type { Found } from "../publish/candidate.ts";
import { emitFound } from "../publish/emit.ts";
import { surveyWalk } from "./survey-walk.ts";

/** Responses of page 1 remembered as the place where the backlog begins. */
const REMEMBERED = 20;
/** Times `headPages` that one look reads to come to that place: further down it is the catch-up's. */
const FURTHEST = 3;

/**
 * News at the head of a survey that is being caught up: they do not wait for the backlog. The first look only remembers where the backlog begins. One look takes
 * `headPages` pages of news. Where there are more, the next one goes on below them: only a look that has come to that place remembers it anew. The catch-up meets
 * all of it again, so nothing is lost.
 */
export async function newsAbove(ctx: PollContext, place: Place): Promise<PollCounts> {
  const counts = noCounts();
  const { headPages } = ctx.source;
  const before = new Set(place.head);
  /** Responses above the backlog, and whether the walk has come to it. */
  const above = new Set<number>();
  let hasCome = false;
  let first: number[] = [];
  const withNews = new Set<number>();
  const steps = surveyWalk(ctx, {
    order: "desc",
    from: 1,
    proves: "contents",
    isTimeUp: () => ctx.ports.clock.now() > ctx.deadline,
    isEnough: ({ page, news }) => {
      const ids = page.runs.map(({ responseId }) => responseId);
      if (page.number === 1) first = ids.slice(0, REMEMBERED);
      const backlog = ids.findIndex((id) => before.has(id));
      for (const id of backlog < 0 ? ids : ids.slice(0, backlog)) above.add(id);
      // Of the last page read: where the list has moved a walk goes back, and that page has to be read again.
      hasCome = before.size === 0 || backlog >= 0;
      if (news) withNews.add(page.number);
      return hasCome || page.number >= FURTHEST * headPages || withNews.size >= headPages;
    },
  });
  const toEmit: Found[] = [];
  for await (const step of steps) {
    addCounts(counts, step);
    toEmit.push(...step.toEmit);
  }
  // The first look only remembers.
  if (before.size > 0) {
    const fresh = toEmit.filter(({ run }) => above.has(run.responseId));
    addCounts(counts, await emitFound(ctx, fresh, "head"));
  }
  // The next look comes to what lies below, and to what stands across the end of the last page.
  if (hasCome && !counts.unfinished && first.length > 0) place.head = first;
  return counts;
}
