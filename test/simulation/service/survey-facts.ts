import { utcString } from "../../../lib/events/build/date-string.ts";
import { mix } from "../engine/random.ts";
import type { Json } from "./survey-model.ts";

/** Milliseconds after which somebody edits a survey again. */
const EDITED_EVERY = 40 * 60_000;

/** How often a survey was edited until a moment (epoch milliseconds); each at another minute. */
export function editionAt(surveyId: number, at: number): number {
  return Math.floor((at + (mix(surveyId, 5) % EDITED_EVERY)) / EDITED_EVERY);
}

/** Epoch milliseconds at which an edition began. */
function editedAt(surveyId: number, edition: number): number {
  return edition * EDITED_EVERY - (mix(surveyId, 5) % EDITED_EVERY);
}

/** What the survey list says of a survey in one of its editions. */
export function factsOf(surveyId: number, edition: number): Json {
  return {
    name: `Survey ${surveyId}, edition ${edition}`,
    modified: utcString(Math.floor(editedAt(surveyId, edition) / 1000) * 1000),
    languageId: surveyId % 3 === 0 ? null : 23,
  };
}

/** The edition whose name this is. */
export function editionOf(name: unknown): number {
  return Number(String(name).split(" edition ")[1]);
}
