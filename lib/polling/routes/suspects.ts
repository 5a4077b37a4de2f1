import { decideSuspects } from "../contents/suspects.ts";
import type { PollContext } from "../context.ts";
import { grown } from "../ledger/changes.ts";
import { addCounts, noCounts, type PollCounts } from "../model/poll-counts.ts";
import type { Found } from "../publish/candidate.ts";
import { emitFound } from "../publish/emit.ts";

/** Finds out how the records of some responses stand, and replaces the events of those that went out before anything told that they lie apart. */
export async function settleSuspects(ctx: PollContext): Promise<PollCounts> {
  const counts = noCounts();
  const joined = await decideSuspects(ctx);
  const { source, ports } = ctx;
  if (joined.length === 0 || !source.events.has("response.updated")) return counts;
  const entries = await ports.state.entries(
    ctx.surveyId,
    joined.map(({ responseId }) => responseId),
  );
  const short = joined.flatMap((run): Found[] => {
    const entry = entries.get(run.responseId);
    if (entry?.state !== "emitted" || run.records.length <= (entry.count ?? Number.POSITIVE_INFINITY)) return [];
    return [{ run, proof: "nothing", replaces: grown(run, entry, ports.clock.now()) }];
  });
  return addCounts(counts, await emitFound(ctx, short, "full-pass"));
}
