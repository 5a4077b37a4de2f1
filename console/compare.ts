import { runShadow, type Shadow, type Simulator } from "../local/simulator/index.ts";
import type { EventRow, Fates, ShadowView } from "./changes.ts";

interface Followed {
  surveyId: number;
  responseId: number;
  isDeleted: boolean;
  /** Whether this poller has sent an event of it, and whether subscribers know that it was deleted. */
  isSent: boolean;
  isTold: boolean;
}

/**
 * Both pollers over the same responses: each that is there was found, missed or is on its way. What was deleted counts where an event of it
 * stands, and nobody was told.
 */
interface Comparison {
  completed(surveyId: number, responseId: number): void;
  removed(surveyId: number, responseId: number): void;
  event(row: Pick<EventRow, "type" | "surveyId" | "responseId">): void;
  fates(): { completed: number; cursor: Fates; ours: Fates };
}

export function createComparison({ fate }: Pick<Shadow, "fate">): Comparison {
  const followed = new Map<string, Followed>();
  const keyOf = (surveyId: number | null, responseId: number | null): string => `${surveyId}/${responseId}`;

  return {
    completed(surveyId, responseId) {
      if (fate(surveyId, responseId) === undefined) return;
      const one = { surveyId, responseId, isDeleted: false, isSent: false, isTold: false };
      followed.set(keyOf(surveyId, responseId), one);
    },
    removed(surveyId, responseId) {
      const one = followed.get(keyOf(surveyId, responseId));
      if (one !== undefined) one.isDeleted = true;
    },
    event({ type, surveyId, responseId }) {
      const one = followed.get(keyOf(surveyId, responseId));
      if (one === undefined) return;
      if (type === "response.completed") one.isSent = true;
      if (type === "response.deleted") one.isTold = true;
    },
    fates() {
      const counts = {
        completed: 0,
        cursor: { found: 0, missed: 0, onTheWay: 0, deleted: 0 },
        ours: { found: 0, missed: 0, onTheWay: 0, deleted: 0 },
      };
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
interface Follower {
  shadow: Shadow;
  event(row: EventRow): void;
  view(repeated: number): ShadowView;
  stop(): void;
}

export function followShadow(simulator: Simulator): Follower {
  const { shadow, stop } = runShadow(simulator);
  const comparison = createComparison(shadow);
  // After the shadow's own listener, so that it knows by now whether it counts this one.
  const stopListening = simulator.onChange(({ kind, surveyId, responseId }) => comparison[kind](surveyId, responseId));
  return {
    shadow,
    event: comparison.event,
    view(repeated) {
      const { twice, misses } = shadow.summary();
      const { completed, cursor, ours } = comparison.fates();
      return { completed, misses, cursor: { ...cursor, twice }, ours: { ...ours, twice: repeated } };
    },
    stop() {
      stopListening();
      stop();
    },
  };
}
