import { decideSuspects } from "../contents/suspects.ts";
import type { PollContext } from "../context.ts";
import type { Found } from "../publish/candidate.ts";
import { emitFound } from "../publish/emit.ts";
import { addCounts, noCounts, type PollCounts } from "./poll-counts.ts";

/** Finds out how the records of some responses stand, and replaces the events of those that went out before anything told that they lie apart. */
export async function settleSuspects(ctx: PollContext): Promise<PollCounts> {
  const counts = noCounts();
  const joined = await decideSuspects(ctx);
  if (joined.length === 0) return counts;
  const entries = await ctx.ports.state.entries(
    ctx.surveyId,
    joined.map(({ responseId }) => responseId),
  );
  const short = joined.flatMap((run): Found[] => {
    const entry = entries.get(run.responseId);
    const isShort = entry?.state === "emitted" && run.records.length > (entry.count ?? 0);
    return isShort ? [{ run, isWhole: true, isApart: true, isAcross: false, replaces: entry }] : [];
  });
  return addCounts(counts, await emitFound(ctx, short, "full-pass"));
}
