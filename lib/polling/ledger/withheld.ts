import { buildReleased, buildWithheld } from "../../events/build/build-withheld.ts";
import type { WithheldState } from "../../events/index.ts";
import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { type LedgerEntry, POLLS } from "../model/ledger-entry.ts";
import { tell } from "./tell.ts";

// Completed responses of which the poller gives out no contents, and what subscribers are told of them: always before the ledger says so.

/** Of more of a survey at once nobody is told of the release. */
const MOST_KNOWN = 500;

/** How a response is withheld from the moment on at which this entry of it is written; undefined where it is not, or was before. */
function withheldAs({ state, attempts }: LedgerEntry): WithheldState | undefined {
  if (state === "held") return attempts === POLLS ? state : undefined;
  return state === "quarantined" || state === "refused" ? state : undefined;
}

/**
 * Those of some new entries that may be written. Subscribers are told of withheld responses first, and the mark knows them before that, so that
 * their release is told, too. Where that fails they are left to the next poll.
 */
export async function toldFirst(ctx: PollContext, entries: LedgerEntry[]): Promise<LedgerEntry[]> {
  const { mark, source, surveyId, ports, lease } = ctx;
  if (!source.events.has("response.withheld")) return entries;
  const fresh = entries.flatMap((entry) => {
    const state = withheldAs(entry);
    return state === undefined ? [] : [{ ...entry, state }];
  });
  if (fresh.length === 0) return entries;
  const { withheld = {} } = mark;
  let known = Object.keys(withheld).length;
  for (const { id, state } of fresh) {
    // A record of nobody knows which response is never released.
    if (typeof id !== "number" || (known >= MOST_KNOWN && !(id in withheld))) continue;
    known += id in withheld ? 0 : 1;
    withheld[id] = state;
  }
  if (known > 0) mark.withheld = withheld;
  const time = ports.clock.now();
  const facts = { sourceName: source.name, surveyId, survey: mark.survey?.facts, detectedAt: time };
  const events = fresh.map(({ id, state, reason }) => ({
    type: "response.withheld" as const,
    detail: buildWithheld({ ...facts, responseId: id, state, reason }),
    time,
  }));
  const told = await orLeave(ctx, async () => {
    await ports.state.saveMark(lease, mark);
    await tell(ctx, events);
    return entries;
  });
  return told ?? entries.filter((entry) => withheldAs(entry) === undefined);
}

/** Tells subscribers of those of some responses that were withheld and have their event now. */
export async function tellReleased(
  ctx: PollContext,
  responses: readonly { responseId: number; eventId: string }[],
): Promise<void> {
  const { mark, source, surveyId, ports } = ctx;
  const { withheld } = mark;
  if (withheld === undefined || !source.events.has("response.withheld")) return;
  const time = ports.clock.now();
  const facts = { sourceName: source.name, surveyId, survey: mark.survey?.facts, detectedAt: time };
  await tell(
    ctx,
    responses.flatMap(({ responseId, eventId }) => {
      const state = withheld[responseId];
      if (state === undefined) return [];
      const detail = buildReleased({ ...facts, responseId, state, lastEventId: eventId });
      return [{ type: "response.released" as const, detail, time }];
    }),
  );
}

/** Forgets those that are in the ledger with their event. */
export function noteReleased({ mark }: Pick<PollContext, "mark">, ids: readonly LedgerEntry["id"][]): void {
  if (mark.withheld === undefined) return;
  for (const id of ids) delete mark.withheld[id];
  if (Object.keys(mark.withheld).length === 0) delete mark.withheld;
}
