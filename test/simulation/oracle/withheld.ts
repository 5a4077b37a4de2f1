import type { ResponseReleased, ResponseWithheld } from "../../../lib/events/index.ts";
import { type LedgerEntry, POLLS } from "../../../lib/polling/model/ledger-entry.ts";
import type { World } from "../world.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Violations } from "./violations.ts";

// What `response.withheld` and `response.released` events say: nothing is withheld untold, and a release names an event that has gone out.

export interface WithheldCheck {
  entryWritten(surveyId: number, entry: LedgerEntry): void;
  withheld(detail: ResponseWithheld): void;
  released(detail: ResponseReleased): void;
  /** Who is withheld no more, and subscribers believe otherwise. */
  wrongAtRest(entries: Map<LedgerEntry["id"], LedgerEntry>): string | undefined;
}

const isWithheld = ({ state, attempts = 0, refusedRevision }: LedgerEntry): boolean =>
  state === "quarantined" ||
  state === "refused" ||
  refusedRevision !== undefined ||
  (state === "held" && attempts >= POLLS);

export function createWithheldCheck(world: World, violations: Violations, deliveries: Deliveries): WithheldCheck {
  /** By response, as which it was withheld last, and since when. */
  const told = new Map<number, { state: string; since: string }>();
  const orphans = new Set<number>();
  /** What each id has said. */
  const said = new Map<string, string>();

  const checkOnce = ({ meta, data }: ResponseWithheld | ResponseReleased): void => {
    const { survey: _, ...says } = data;
    const text = JSON.stringify(says);
    const before = said.get(meta.eventId) ?? text;
    said.set(meta.eventId, before);
    if (before !== text && data.responseId !== null) {
      violations.add("withheld", `one id says of ${data.responseId} ${before}, and ${text}`);
    }
  };

  return {
    entryWritten(surveyId, entry) {
      const { id, state } = entry;
      if (!isWithheld(entry)) return;
      const isTold = typeof id === "number" ? told.has(id) : orphans.has(surveyId);
      if (!isTold) violations.add("withheld", `${surveyId}/${id} is ${state}, and nobody was told`);
    },
    withheld(detail) {
      const { surveyId, responseId, state, since } = detail.data;
      checkOnce(detail);
      if (responseId === null) orphans.add(surveyId);
      else told.set(responseId, { state, since });
    },
    released(detail) {
      const { responseId, state, lastEventId } = detail.data;
      checkOnce(detail);
      if (responseId === null) return;
      const isOut = lastEventId === null || deliveries.eventIdsOf(responseId).has(lastEventId);
      if (!isOut) violations.add("withheld", `${responseId} was released, and there is no event ${lastEventId}`);
      // It may come though nobody was told before: who wanted to tell of it has died, or the bus did not take that.
      if (told.get(responseId)?.state !== state) return;
      if (lastEventId !== null) world.sometimes("a response that was withheld is released");
      told.delete(responseId);
    },
    wrongAtRest(entries) {
      for (const id of told.keys()) {
        const entry = entries.get(id);
        const isOver = entry?.state === "emitted" || entry?.state === "before-floor" || entry?.state === "open";
        if (entry !== undefined && isOver && !isWithheld(entry)) return `${id} is ${entry.state}, and was not released`;
      }
      return undefined;
    },
  };
}
