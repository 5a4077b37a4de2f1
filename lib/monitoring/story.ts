import type { Order, Progress } from "../polling/index.ts";

/** Where a page has shown a response. One reading is shared by all that it has shown. */
export interface Reading {
  page: number;
  order: Order;
  /** Epoch milliseconds. */
  at: number;
  /** The how many-th request of its run it was. */
  request: number;
}

export type ProvedBy = Extract<Progress, { kind: "proved" }>["by"];

/** The story of a response on its way to its event, and nothing of its contents. */
export interface Story {
  /** Where it was listed last. */
  listed?: Reading;
  proved?: ProvedBy;
  /** Milliseconds that the service took for its details. */
  metrics?: number;
  metadata?: number;
  /** Attempts in vain so far, as its ledger entry counts them. */
  attempts?: number | undefined;
}

/** The stories of the responses met last. */
export interface Stories {
  /** The story of a response, to be added to. */
  of(surveyId: number, responseId: number): Story;
  /** The story of a response; undefined where it was not met, or too long ago. */
  known(surveyId: number, responseId: number): Story | undefined;
}

/** Stories that are kept, at least; up to twice as many for a while. About 100 bytes each. */
const KEPT = 10_000;

type Generation = Map<number, Map<number, Story>>;

/**
 * Keeps the stories of at least so many responses in two generations. The older one goes as a whole when the younger is full. So a page
 * costs one small entry a response, and nobody has to say of which responses nothing more will be told.
 */
export function createStories(kept = KEPT): Stories {
  let young: Generation = new Map();
  let old: Generation = new Map();
  let size = 0;
  const known: Stories["known"] = (surveyId, responseId) =>
    young.get(surveyId)?.get(responseId) ?? old.get(surveyId)?.get(responseId);
  return {
    known,
    of(surveyId, responseId) {
      const there = young.get(surveyId)?.get(responseId);
      if (there !== undefined) return there;
      const story = known(surveyId, responseId) ?? {};
      if (size >= kept) {
        [old, young] = [young, new Map()];
        size = 0;
      }
      let ofSurvey = young.get(surveyId);
      if (ofSurvey === undefined) {
        ofSurvey = new Map();
        young.set(surveyId, ofSurvey);
      }
      ofSurvey.set(responseId, story);
      size += 1;
      return story;
    },
  };
}
