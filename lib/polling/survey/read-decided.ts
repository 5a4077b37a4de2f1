import type { PollContext } from "../context.ts";
import { addCounts, type PollCounts } from "../model/poll-counts.ts";
import { noteAllRead } from "../routes/patrol.ts";
import { settleSuspects } from "../routes/suspects.ts";

/**
 * Reads by `read`. Where that shows responses whose records may lie apart, that is decided if `mayDecide` says so. What has waited for it is then read once more.
 */
export async function readDecided(
  ctx: PollContext,
  read: () => Promise<PollCounts>,
  mayDecide: () => boolean = () => true,
): Promise<PollCounts> {
  const { mark } = ctx;
  let counts = await read();
  if (mark.contents.suspects !== undefined && mayDecide()) {
    const replaced = await settleSuspects(ctx);
    const isDecided = mark.contents.suspects === undefined;
    if (isDecided) counts = addCounts({ ...counts, left: 0, unfinished: false }, await read());
    addCounts(counts, replaced);
  }
  // The first reading has come to its end.
  if (mark.patrol === undefined && mark.phase.kind === "head") noteAllRead(ctx);
  return counts;
}
