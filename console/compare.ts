import type { Shadow } from "../local/simulator/index.ts";
import type { EventRow, Fates } from "./changes.ts";

type Fate = "found" | "missed" | "not yet";

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
export interface Comparison {
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
      const all = [...followed.values()];
      const there = all.filter(({ isDeleted }) => !isDeleted);
      const deleted = all.filter(({ isDeleted }) => isDeleted);
      const cursorOf = ({ surveyId, responseId }: Followed): Fate => fate(surveyId, responseId) ?? "not yet";
      const count = (fates: readonly Fate[], wanted: Fate): number => fates.filter((one) => one === wanted).length;
      const ofCursor = there.map(cursorOf);
      const ofOurs = there.map(({ isSent }): Fate => (isSent ? "found" : "not yet"));
      return {
        completed: there.length,
        cursor: {
          found: count(ofCursor, "found"),
          missed: count(ofCursor, "missed"),
          onTheWay: count(ofCursor, "not yet"),
          deleted: count(deleted.map(cursorOf), "found"),
        },
        ours: {
          found: count(ofOurs, "found"),
          missed: 0,
          onTheWay: count(ofOurs, "not yet"),
          deleted: deleted.filter(({ isSent, isTold }) => isSent && !isTold).length,
        },
      };
    },
  };
}
