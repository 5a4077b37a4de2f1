import type { ResponseReleased, ResponseWithheld } from "../../../lib/events/index.ts";
import { type LedgerEntry, POLLS } from "../../../lib/polling/model/ledger-entry.ts";
import type { World } from "../world.ts";
import type { Violations } from "./violations.ts";

// What `response.withheld` and `response.released` events say: nothing is withheld untold, and nothing of that goes out unreleased.

export interface WithheldCheck {
  entryWritten(surveyId: number, entry: LedgerEntry): void;
  contentsDelivered(responseId: number): void;
  withheld(detail: ResponseWithheld): void;
  released(detail: ResponseReleased): void;
}

export function createWithheldCheck(world: World, violations: Violations): WithheldCheck {
  /** By response, the states in which it was withheld, and released again. */
  const told = new Map<number, Set<string>>();
  const released = new Map<number, Set<string>>();
  const orphans = new Map<number, number>();
  const of = (all: Map<number, Set<string>>, id: number): Set<string> =>
    all.get(id) ?? all.set(id, new Set()).get(id) ?? new Set();

  return {
    entryWritten(surveyId, { id, state, attempts = 0 }) {
      const isWithheld = state === "quarantined" || state === "refused" || (state === "held" && attempts >= POLLS);
      if (!isWithheld) return;
      const isTold = typeof id === "number" ? told.get(id)?.has(state) : orphans.has(surveyId);
      if (isTold !== true) violations.add("withheld", `${surveyId}/${id} is ${state}, and nobody was told`);
    },
    contentsDelivered(responseId) {
      const missing = [...(told.get(responseId) ?? [])].filter(
        (state) => released.get(responseId)?.has(state) !== true,
      );
      // Of several states in turn the last one is released.
      if (missing.length > 0 && (released.get(responseId)?.size ?? 0) === 0) {
        violations.add("withheld", `${responseId} was ${missing.join(", ")}, and went out without being released`);
      }
    },
    withheld({ data: { surveyId, responseId, state } }) {
      if (responseId === null) orphans.set(surveyId, (orphans.get(surveyId) ?? 0) + 1);
      else of(told, responseId).add(state);
    },
    released({ data: { responseId, state } }) {
      if (responseId === null) return;
      // It may come though nobody was told before: who wanted to tell of it has died, or the bus did not take that.
      if (told.get(responseId)?.has(state) === true) world.sometimes("a response that was withheld is released");
      of(released, responseId).add(state);
    },
  };
}
