import type { Origin } from "../../events/index.ts";
import { ask, isTrusted, withFacts } from "../contents/confirm.ts";
import type { PollContext } from "../context.ts";
import { type Run, readRecord } from "../model/records.ts";
import { emitRepairs, type Repair } from "./emit.ts";

/** Responses asked about after one scan, and left to one full pass: the rest are found by the next one. */
const MOST_AT_ONCE = 20;
export const MOST_LEFT = 200;

/**
 * Replaces events that were short, as the parts of their responses show that a scan has met. What looks whole on a page
 * need not be so, least of all here: operation 9 gives the contents, or else the next full pass. Gives how many
 * events were replaced.
 */
export async function repairShort(ctx: PollContext, short: Run[], origin: Origin): Promise<number> {
  if (short.length === 0) return 0;
  const { mark, ports } = ctx;
  // What operation 9 could not give is left to the pass that is to come.
  const fresh = short.filter(({ responseId }) => mark.short?.includes(responseId) !== true);
  const repaired = new Set(await repairByOperation9(ctx, fresh, origin));
  const left = short.map(({ responseId }) => responseId).filter((id) => !repaired.has(id));
  if (left.length > 0) {
    mark.short = [...new Set([...(mark.short ?? []), ...left])].slice(0, MOST_LEFT);
    if (mark.pass === undefined) mark.nextPass = ports.clock.now();
  }
  return repaired.size;
}

/**
 * Responses that came back with parts not seen before may have been emitted short, before anything told that their
 * records lie apart: operation 9 says how many they have. Gives how many events were replaced.
 */
export async function repairSuspects(ctx: PollContext, parts: Run[], origin: Origin): Promise<number> {
  return (await repairByOperation9(ctx, parts, origin)).length;
}

async function repairByOperation9(ctx: PollContext, parts: Run[], origin: Origin): Promise<number[]> {
  const { full } = ctx.mark.confirmation;
  if (parts.length === 0 || !isTrusted(ctx)) return [];
  const some = [...new Map(parts.map((part) => [part.responseId, part])).values()].slice(0, MOST_AT_ONCE);
  const entries = await ctx.ports.state.entries(
    ctx.surveyId,
    some.map(({ responseId }) => responseId),
  );
  const repairs: Repair[] = [];
  await Promise.all(
    some.map(async ({ responseId, records: met }) => {
      const entry = entries.get(responseId);
      const listed = met.flatMap(({ raw }) => (raw === undefined ? [] : [raw]));
      if (entry?.state !== "emitted" || (listed.length === 0 && full !== true)) return;
      const records = await ask(ctx, { responseId });
      if (records === undefined || records.length < met.length || records.length <= (entry.count ?? 0)) return;
      const run: Run = { responseId, records: withFacts(ctx, listed, records).map((record) => readRecord(record)) };
      repairs.push({ run, entry });
    }),
  );
  const { repaired } = await emitRepairs(ctx, repairs, origin, "operation 9");
  return repaired === repairs.length ? repairs.map(({ run }) => run.responseId) : [];
}
