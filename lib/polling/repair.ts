import type { Origin } from "../events/index.ts";
import { ask } from "./confirm.ts";
import type { PollContext } from "./context.ts";
import { emitRepairs } from "./emit.ts";
import { readRecord } from "./records.ts";
import type { LedgerEntry } from "./state-types.ts";
import type { Repair } from "./survey-scan.ts";

/** Responses asked about after one scan: the rest are found by the next one. */
const MOST_AT_ONCE = 20;

/**
 * Responses that came back with records not seen before may have been emitted short, before anything told that their
 * records lie apart: operation 9 says how many they have. Gives how many events were replaced.
 */
export async function repairScattered(ctx: PollContext, ids: number[], origin: Origin): Promise<number> {
  if (ids.length === 0 || !ctx.mark.confirmation.trusted) return 0;
  const some = ids.slice(0, MOST_AT_ONCE);
  const entries = await ctx.ports.state.entries(ctx.surveyId, some);
  const emitted = [...entries.values()].filter((entry) => entry.state === "emitted");
  return (await repairByOperation9(ctx, emitted, origin)).repaired;
}

/** Compares emitted responses with operation 9, and replaces the events of those that it knows to have more records. */
export async function repairByOperation9(
  ctx: PollContext,
  emitted: LedgerEntry[],
  origin: Origin,
): Promise<{ repaired: number; answered: number }> {
  const repairs: Repair[] = [];
  let answered = 0;
  await Promise.all(
    emitted.map(async ({ id, count = 0, revision = 1 }) => {
      if (typeof id !== "number") return;
      const records = await ask(ctx, { responseId: id });
      if (records === undefined) return;
      answered += 1;
      if (records.length <= count) return;
      repairs.push({ run: { responseId: id, records: records.map(readRecord) }, revision: revision + 1 });
    }),
  );
  const repaired = await emitRepairs(ctx, repairs, origin, "operation 9");
  return { repaired, answered };
}
