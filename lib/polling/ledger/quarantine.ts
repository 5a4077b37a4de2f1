import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";

/** Periods are whole days: nothing that was quarantined since the last look can be due before the next one. */
const LOOK_EVERY = 24 * 3_600_000;
/** After an object of the vault could not be deleted. */
const TRY_AGAIN = 3_600_000;
const AT_ONCE = 100;

/** Epoch milliseconds until which the records of a response quarantined now are kept. */
export function keptUntil(ctx: PollContext): number {
  return ctx.ports.clock.now() + ctx.source.retention.quarantine;
}

/** Drops the kept records of quarantined entries whose time is over, some at each poll. The entries stay, with their reasons. */
export async function dropExpired(ctx: PollContext): Promise<void> {
  const { clock, state } = ctx.ports;
  const { mark, surveyId } = ctx;
  const now = clock.now();
  if (mark.expiryLook !== undefined && now < mark.expiryLook) return;
  const next = (await state.nextDue(surveyId, "quarantined")) ?? Number.POSITIVE_INFINITY;
  if (next > now) {
    mark.expiryLook = Math.min(next, now + LOOK_EVERY);
    return;
  }
  const done = await drop(ctx, await state.due(surveyId, "quarantined", now, AT_ONCE));
  mark.expiryLook = done ? now : now + TRY_AGAIN;
}

/** Whether none of these entries has records any more. */
async function drop(ctx: PollContext, entries: LedgerEntry[]): Promise<boolean> {
  const { state, vault } = ctx.ports;
  // The index lags behind: what has gone out or was put back may still stand in it.
  const now = await state.entries(
    ctx.surveyId,
    entries.map(({ id }) => id),
  );
  const bare: LedgerEntry[] = [];
  let failures = 0;
  await Promise.all(
    entries.map(async ({ kept, keptKey, nextCheck, ...entry }) => {
      const known = now.get(entry.id);
      // Refused once more after a redrive, it has a time of its own.
      if (known?.state !== "quarantined" || known.firstSeen !== entry.firstSeen) return;
      try {
        // First: an entry without the key would leave the object to itself.
        if (keptKey !== undefined) await vault.delete(keptKey);
        bare.push(entry);
      } catch {
        // It stays due, and the poll has better things to do than to fail for it.
        failures += 1;
      }
    }),
  );
  await holdLease(ctx);
  if (bare.length > 0) await state.putEntries(ctx.surveyId, bare);
  return failures === 0;
}
