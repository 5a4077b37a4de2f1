import { runShadow, type Shadow, type Simulator } from "../local/simulator/index.ts";
import { type EventRow, responseKey, type ShadowView } from "./changes.ts";

/** Misses that are told one by one. */
const TOLD = 100;

/**
 * Both pollers over the same responses: each that is there was found, missed or is on its way. What was deleted counts where an event of it
 * stands, and nobody was told.
 */
export function createComparison({ followed }: Pick<Shadow, "followed">) {
  /** Of those that the shadow follows: which have an event, and of which subscribers know that they were deleted. */
  const sent = new Set<string>();
  const told = new Set<string>();

  return {
    event(row: Pick<EventRow, "type" | "surveyId" | "responseId">): void {
      const key = responseKey(row);
      if (!followed.has(key)) return;
      if (row.type === "response.completed") sent.add(key);
      if (row.type === "response.deleted") told.add(key);
    },
    /** @param repeated events that have come twice */
    view(repeated: number): ShadowView {
      const none = { found: 0, missed: 0, onTheWay: 0, deleted: 0 };
      const view: ShadowView = {
        ...{ completed: 0, misses: [] },
        ...{ cursor: { ...none, twice: 0 }, ours: { ...none, twice: repeated } },
      };
      for (const [key, one] of followed) {
        if (one.times > 1) view.cursor.twice += 1;
        if (one.isDeleted) {
          if (one.fate === "found") view.cursor.deleted += 1;
          if (sent.has(key) && !told.has(key)) view.ours.deleted += 1;
          continue;
        }
        view.completed += 1;
        view.cursor[one.fate] += 1;
        view.ours[sent.has(key) ? "found" : "onTheWay"] += 1;
        if (one.fate === "missed") view.misses.unshift(one);
      }
      return { ...view, misses: view.misses.slice(0, TOLD) };
    },
  };
}

/** A poller with a cursor beside this one, and how the two compare. */
export function followShadow(simulator: Simulator) {
  const shadow = runShadow(simulator);
  return { shadow, ...createComparison(shadow) };
}
