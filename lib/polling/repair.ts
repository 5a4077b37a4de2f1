import type { Origin } from "../events/index.ts";
import { ask, withFacts } from "./confirm.ts";
import type { PollContext } from "./context.ts";
import { emitRepairs } from "./emit.ts";
import { type Run, readRecord } from "./records.ts";
import type { Repair } from "./survey-scan.ts";

/** Responses asked about after one scan: the rest are found by the next one. */
const MOST_AT_ONCE = 20;

/**
 * Responses of which a scan has met `parts` that it did not expect may have been emitted short, before anything told
 * that their records lie apart: operation 9 says how many they have. Gives those whose events were replaced.
 */
export async function repairScattered(ctx: PollContext, parts: Run[], origin: Origin): Promise<number[]> {
  if (parts.length === 0 || !ctx.mark.confirmation.trusted) return [];
  const some = [...new Map(parts.map((part) => [part.responseId, part])).values()].slice(0, MOST_AT_ONCE);
  const entries = await ctx.ports.state.entries(
    ctx.surveyId,
    some.map(({ responseId }) => responseId),
  );
  const repairs: Repair[] = [];
  await Promise.all(
    some.map(async ({ responseId, records: listed }) => {
      const entry = entries.get(responseId);
      if (entry?.state !== "emitted") return;
      const records = await ask(ctx, { responseId });
      if (records === undefined || records.length <= (entry.count ?? 0)) return;
      const raw = listed.map((record) => record.raw);
      const run: Run = { responseId, records: withFacts(ctx, raw, records).map(readRecord) };
      repairs.push({ run, revision: (entry.revision ?? 1) + 1 });
    }),
  );
  const done = await emitRepairs(ctx, repairs, origin, "operation 9");
  return done === repairs.length ? repairs.map(({ run }) => run.responseId) : [];
}
