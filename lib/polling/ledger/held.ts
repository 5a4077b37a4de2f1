import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { Pass } from "../model/mark.ts";

// Completed responses that nothing can tell to be whole yet: the ledger knows them, and since when.

/** Why the ledger holds one as open that is completed. */
export const UNPROVED = "unproved";

/** Held while no full pass was under way. */
const NO_PASS = 0;

/** Notes completed responses as held, with the full pass that was under way when they were met first. */
export async function noteHeld(ctx: PollContext, ids: number[], during: number = NO_PASS): Promise<void> {
  const { state, clock } = ctx.ports;
  const all = [...new Set(ids)];
  for (let i = 0; i < all.length; i += 100) {
    const some = all.slice(i, i + 100);
    const known = await state.entries(ctx.surveyId, some);
    const fresh = some.flatMap((id): LedgerEntry[] => {
      const entry = known.get(id) ?? { id, state: "open" };
      if (!mayBeHeld(entry) || since(entry) !== undefined) return [];
      const firstSeen = entry.firstSeen ?? clock.now();
      return [{ id, state: "open", firstSeen, reason: UNPROVED, heldIn: during }];
    });
    if (fresh.length === 0) continue;
    await holdLease(ctx);
    await state.putEntries(ctx.surveyId, fresh);
  }
}

/**
 * Whether all parts of a held response were there to be met when the pass began. Of one that came or was completed later some may stand on
 * pages that were read before, and where another one goes at that moment no page at a seam shows it.
 */
export function mayBeJoined(entry: LedgerEntry | undefined, { startedAt }: Pass): boolean {
  const heldIn = since(entry);
  return heldIn !== undefined && heldIn !== startedAt;
}

function since(entry: LedgerEntry | undefined): number | undefined {
  return entry?.state === "open" && entry.reason === UNPROVED ? entry.heldIn : undefined;
}

/** What the bus has refused for good is not held; any other quarantined one has become readable. */
function mayBeHeld({ state, reason }: LedgerEntry): boolean {
  return state === "open" || (state === "quarantined" && reason?.startsWith("bus:") !== true);
}
