import { runShadow, type Shadow, type Simulator } from "../local/simulator/index.ts";
import { type EventRow, responseKey, type ShadowView } from "./changes.ts";

/**
 * Both pollers over the same responses: each that is there was found, missed or is on its way. What was deleted counts where an event of it
 * stands, and nobody was told.
 */
export function createComparison({ fate }: Pick<Shadow, "fate">) {
  const followed = new Map<string, ReturnType<typeof begun>>();
  /** `isSent`: an event of it; `isTold`: subscribers know that it was deleted. */
  const begun = (surveyId: number, responseId: number) => ({
    ...{ surveyId, responseId, isDeleted: false, isSent: false, isTold: false },
  });

  return {
    completed(surveyId: number, responseId: number): void {
      if (fate(surveyId, responseId) === undefined) return;
      followed.set(responseKey({ surveyId, responseId }), begun(surveyId, responseId));
    },
    removed(surveyId: number, responseId: number): void {
      const one = followed.get(responseKey({ surveyId, responseId }));
      if (one !== undefined) one.isDeleted = true;
    },
    event(row: Pick<EventRow, "type" | "surveyId" | "responseId">): void {
      const one = followed.get(responseKey(row));
      if (one === undefined) return;
      if (row.type === "response.completed") one.isSent = true;
      if (row.type === "response.deleted") one.isTold = true;
    },
    fates() {
      const none = { found: 0, missed: 0, onTheWay: 0, deleted: 0 };
      const counts = { completed: 0, cursor: { ...none }, ours: { ...none } };
      for (const { surveyId, responseId, isDeleted, isSent, isTold } of followed.values()) {
        const ofCursor = fate(surveyId, responseId) ?? "not yet";
        if (isDeleted) {
          if (ofCursor === "found") counts.cursor.deleted += 1;
          if (isSent && !isTold) counts.ours.deleted += 1;
          continue;
        }
        counts.completed += 1;
        counts.cursor[ofCursor === "not yet" ? "onTheWay" : ofCursor] += 1;
        counts.ours[isSent ? "found" : "onTheWay"] += 1;
      }
      return counts;
    },
  };
}

/** A poller with a cursor beside this one, and how the two compare. */
export function followShadow(simulator: Simulator) {
  const { shadow, stop } = runShadow(simulator);
  const comparison = createComparison(shadow);
  // After the shadow's own listener, so that it knows by now whether it counts this one.
  const stopListening = simulator.onChange(({ kind, surveyId, responseId }) => comparison[kind](surveyId, responseId));
  return {
    shadow,
    event: comparison.event,
    view(repeated: number): ShadowView {
      const { twice, misses } = shadow.summary();
      const { completed, cursor, ours } = comparison.fates();
      return { completed, misses, cursor: { ...cursor, twice }, ours: { ...ours, twice: repeated } };
    },
    stop(): void {
      stopListening();
      stop();
    },
  };
}
