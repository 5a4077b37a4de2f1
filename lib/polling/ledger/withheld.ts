import { buildReleased, buildWithheld } from "../../events/build/build-withheld.ts";
import type { WithheldState } from "../../events/index.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { type LedgerEntry, POLLS } from "../model/ledger-entry.ts";
import type { Mark } from "../model/mark.ts";
import { factsOf, tell } from "./tell.ts";

// Responses whose contents are withheld. Subscribers are told before the ledger says so, and once that is over.

/** Withheld responses of a survey that the mark remembers. Nobody is told of the release of any more than these. */
const MOST_KNOWN = 500;

/** How a response is withheld from the moment on at which this entry of it is written; undefined where it is not, or was before. */
function withheldAs({ state, attempts, refusedRevision }: LedgerEntry): WithheldState | undefined {
  if (state === "held") return attempts === POLLS ? state : undefined;
  if (state === "emitted") return refusedRevision === undefined ? undefined : "refused";
  return state === "quarantined" || state === "refused" ? state : undefined;
}

/**
 * The new entries that may be written. Subscribers are told of withheld responses first. The mark knows them before that, so that their release is told, too. Where
 * that fails they are left to the next poll.
 */
export async function toldFirst(ctx: PollContext, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  const { mark, source, ports, lease } = ctx;
  if (!source.events.has("response.withheld")) return entries;
  const needNone = entries.filter(({ state }) => state === "open" || state === "before-floor");
  const over = needNone.filter(({ id }) => noteReleased(mark, id, null));
  const facts = factsOf(ctx);
  const time = facts.detectedAt;
  const fresh = entries.flatMap((entry) => {
    const state = withheldAs(entry);
    return state === undefined ? [] : [{ ...entry, state, since: sinceOf(mark, entry.id, state, time) }];
  });
  // fault: withheld-untold
  if (fresh.length === 0 && over.length === 0) return entries;
  const events = fresh.map(({ id, state, since, reason, refusedRevision }) => ({
    type: "response.withheld" as const,
    detail: buildWithheld({ ...facts, responseId: id, state, since, reason: refusedRevision ?? reason }),
    time,
  }));
  const told = await orLeave(ctx, async () => {
    await ports.state.saveMark(lease, mark);
    await tell(ctx, events);
    return entries;
  });
  return told ?? entries.filter((entry) => withheldAs(entry) === undefined);
}

/** Since when a response is withheld, which the mark knows from then on: who told of it before and has died meant the same. */
function sinceOf(mark: Mark, id: LedgerEntry["id"], state: WithheldState, now: number): number {
  const { withheld = {} } = mark;
  const known = withheld[id];
  if (known?.state === state && known.over === undefined) return known.since;
  // Nobody knows which response such a record belongs to: it is never released.
  if (typeof id !== "number") return now;
  if (known === undefined && Object.keys(withheld).length >= MOST_KNOWN) return now;
  mark.withheld = { ...withheld, [id]: { state, since: now } };
  return now;
}

/** Notes that a response is withheld no more, if it was: the id of its event, or null where it needs none. */
export function noteReleased({ withheld }: Mark, id: LedgerEntry["id"], eventId: string | null): boolean {
  const known = withheld?.[id];
  if (known !== undefined) known.over = eventId;
  return known !== undefined;
}

/** Whether subscribers are to be told of a release. */
export function hasReleased({ withheld = {} }: Mark): boolean {
  return Object.values(withheld).some(({ over }) => over !== undefined);
}

/** Tells subscribers of responses that were withheld and are no more. */
export async function tellReleased(ctx: PollContext): Promise<void> {
  const { mark, source } = ctx;
  // fault: release-untold
  if (!hasReleased(mark)) return;
  const all = Object.entries(mark.withheld ?? {});
  const facts = factsOf(ctx);
  const events = all.flatMap(([id, { over, ...withheld }]) => {
    if (over === undefined) return [];
    const detail = buildReleased({ ...facts, ...withheld, responseId: Number(id), lastEventId: over });
    return [{ type: "response.released" as const, detail, time: facts.detectedAt }];
  });
  if (source.events.has("response.withheld")) await tell(ctx, events);
  const left = all.filter(([, { over }]) => over === undefined);
  if (left.length > 0) mark.withheld = Object.fromEntries(left);
  else delete mark.withheld;
}
