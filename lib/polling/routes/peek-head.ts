import type { PollContext } from "../context.ts";
import type { StreamPosition } from "../model/mark.ts";
import { emitRuns } from "../publish/emit.ts";
import { headOrder } from "./news-end.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";
import { surveyScan } from "./survey-scan.ts";

/** Responses of page 1 remembered as the place where the backlog begins. */
const REMEMBERED = 20;
/** Times `headPages` that one look reads to come to that place: further down it is the catch-up's. */
const FURTHEST = 3;

/**
 * What has come to the head of a survey that is being caught up: it does not wait for the backlog. The first look only remembers where
 * that begins. One look takes `headPages` pages of news; where there are more, the next one goes on below them, as the place is remembered
 * anew only by a look that has come to it. The catch-up meets all of it again, so that nothing is lost by where a look has ended.
 */
export async function peekHead(ctx: PollContext, position: StreamPosition): Promise<PollCounts> {
  const counts = noCounts();
  // The floor still rises: what looks new may be from before it.
  if (ctx.mark.floorRises === true) return counts;
  const before = new Set(position.head);
  const steps = surveyScan(ctx, { order: headOrder(ctx.mark), from: 1, prove: "cuts", trustEmpty: true });
  const { headPages } = ctx.source;
  let first: number[] | undefined;
  let withNews = 0;
  for (let pages = 1; ; pages += 1) {
    const next = await steps.next();
    if (next.done) break;
    const { toEmit, found, quarantined, left, ids } = next.value;
    first ??= ids.slice(0, REMEMBERED);
    addCounts(counts, { found, quarantined, left });
    if (before.size === 0) break;
    const backlog = ids.findIndex((id) => before.has(id));
    const fresh = backlog < 0 ? toEmit : toEmit.filter(({ responseId }) => ids.indexOf(responseId) < backlog);
    addCounts(counts, await emitRuns(ctx, fresh, "head"));
    if (counts.unfinished || ctx.ports.clock.now() > ctx.deadline) return counts;
    if (backlog >= 0 || pages >= FURTHEST * headPages) break;
    if (fresh.length > 0) withNews += 1;
    // The next look comes to what lies below, and to what stands across the end of this page.
    if (withNews >= headPages) return counts;
  }
  if (first !== undefined && first.length > 0) position.head = first;
  return counts;
}
