import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import { type LedgerEntry, POLLS } from "../model/ledger-entry.ts";

// Completed responses whose contents nothing proves. They are left to the next poll at first. After some polls they are held, which counts as dealt with (R6).

/** Milliseconds until a held one is looked at again; twice as long each time, up to a day. */
const FIRST_PAUSE = 300_000;
const LONGEST_PAUSE = 24 * 3_600_000;

/** Why an entry is held. */
export const UNPROVED = "contents-unproved";

type Held = Pick<LedgerEntry, "attempts" | "firstSeen">;

/** Whether a held one is looked at again at `now` (epoch milliseconds), or was left to this poll. */
export function isHeldDue(entry: Held, now: number): boolean {
  return (entry.attempts ?? 0) < POLLS || now >= nextLook(entry);
}

/** Epoch milliseconds. */
function nextLook({ attempts = 0, firstSeen = 0 }: Held): number {
  let at = firstSeen;
  for (let look = 0; look <= attempts - POLLS; look += 1) at += Math.min(FIRST_PAUSE * 2 ** look, LONGEST_PAUSE);
  return at;
}

/** A response whose contents nothing proved. */
export interface Unproved {
  responseId: number;
  /** Hashes of the answers that pages have shown; none where it was asked about alone, and those of before stay. */
  shown: string[];
}

/** Notes that nothing proved these in this poll. Gives those that are held by now; the others are left to the next poll. */
export async function noteHeld(ctx: PollContext, responses: Unproved[]): Promise<number[]> {
  const { state, clock, observe } = ctx.ports;
  const shownOf = new Map(responses.map(({ responseId, shown }) => [responseId, shown]));
  const all = [...shownOf.keys()];
  const held: number[] = [];
  for (let i = 0; i < all.length; i += 100) {
    const some = all.slice(i, i + 100);
    const known = await state.entries(ctx.surveyId, some);
    const entries = some
      .filter((id) => counts(known.get(id), clock.now(), ctx.source.interval))
      .map((id) => heldEntry(id, known.get(id), shownOf.get(id) ?? [], clock.now()));
    await holdLease(ctx);
    if (entries.length > 0) await state.putEntries(ctx.surveyId, entries);
    for (const entry of entries) known.set(entry.id, entry);
    held.push(...some.filter((id) => (known.get(id)?.attempts ?? 0) >= POLLS));
    const fresh = entries.filter(({ attempts }) => attempts === POLLS).length;
    if (fresh > 0) observe({ kind: "held", surveyId: ctx.surveyId, count: fresh });
  }
  return held;
}

/** Whether this is one more poll that has not proved a response: of several walks in one interval only the first one counts. */
function counts(entry: LedgerEntry | undefined, now: number, interval: number): boolean {
  if (entry?.state !== "held") return true;
  const { attempts = 0, firstSeen = 0 } = entry;
  return now >= (attempts < POLLS ? firstSeen + (attempts * interval) / 2 : nextLook(entry));
}

function heldEntry(id: number, before: LedgerEntry | undefined, shown: string[], now: number): LedgerEntry {
  const { attempts = 0, firstSeen = now, shown: shownBefore = [] } = before?.state === "held" ? before : {};
  const entry = {
    id,
    state: "held" as const,
    reason: UNPROVED,
    firstSeen,
    // fault: never-held
    attempts: attempts + 1,
    shown: shown.length > 0 ? shown : shownBefore,
  };
  return { ...entry, nextCheck: nextLook(entry) };
}
