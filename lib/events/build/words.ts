import type { Answer, BareAnswer, Moment } from "../response-completed.ts";
import { asUtc, credible, isDateString, latestInstant, MARGIN } from "./date-string.ts";
import type { SurveyDefinition } from "./definition.ts";
import type { Read } from "./fields.ts";
import { toMoment } from "./local-time.ts";

/** The words of their questions in answers: text and labels, labels alone, or nothing. */
export type QuestionsMode = "full" | "labels" | "none";

/** Gives each answer the words of its question; null where they cannot be told for certain, which `irregular` says. */
export function withWords(
  { value, irregular }: Read<BareAnswer>,
  definition: SurveyDefinition | undefined,
  mode: QuestionsMode,
): Read<Answer> {
  if (definition === undefined || mode === "none")
    return { value: { ...value, question: null, labels: null }, irregular };
  const defined = definition.questions[value.questionId ?? ""];
  if (defined === undefined)
    return { value: { ...value, question: null, labels: null }, irregular: [...irregular, "question"] };
  const { choices, ...question } = defined;
  const { indexBase } = definition;
  const isKnown = typeof indexBase === "number" && !irregular.includes("answer");
  const labels = value.answer.length === 0 ? [] : isKnown ? labelsOf(value.answer, choices, indexBase) : null;
  const words = { question: mode === "full" ? question : null, labels: irregular.includes("answer") ? null : labels };
  return {
    value: { ...value, ...words },
    // A scale has no choices, and its answers no labels.
    irregular: isKnown && labels === null && choices?.length !== 0 ? [...irregular, "labels"] : irregular,
  };
}

/** Why no answer of an event has labels, as `irregular` names it. */
export function whyNoLabels(
  answers: readonly BareAnswer[],
  definition: SurveyDefinition | undefined,
  mode: QuestionsMode,
): string[] {
  if (definition === undefined || mode === "none" || typeof definition.indexBase === "number") return [];
  return answers.some(({ answer }) => answer.length > 0) ? [`labels:${definition.indexBase}-index-base`] : [];
}

/** The texts of the chosen answers; null where one of them is not there. */
function labelsOf(chosen: readonly number[], choices: readonly string[] | null, base: 0 | 1): string[] | null {
  if (choices === null || chosen.length > choices.length) return null;
  const labels = chosen.flatMap((index) => choices[index - base] ?? []);
  return labels.length === chosen.length ? labels : null;
}

/** The facts that tell whether a definition is the one that a respondent saw. Times are epoch milliseconds. */
interface Circumstances {
  /** `modified` of the survey in the list, and when that was read; undefined: never. */
  modified: string | null | undefined;
  listedAt: number | undefined;
  started: Moment;
  completed: Moment;
  timeZone: string | undefined;
  detectedAt: number;
}

/** Milliseconds for which what the list has said is taken to be so. */
const JUST_LISTED = 60_000;

/**
 * Whether the definition may be another one than the respondent saw. It is the same under three conditions. It is of the edition that the
 * survey list shows. It was modified before the respondent began. And no edit can have come between the list and the completion.
 *
 * Example without a zone: edited at 10:00 by the service's clock, begun at 12:30, less than three hours later: it may. With a zone it does
 * not.
 */
export function mayDiffer(definition: SurveyDefinition, by: Circumstances): boolean {
  const { modified } = definition;
  const { started, completed, listedAt = 0, timeZone, detectedAt } = by;
  if (modified === null || modified !== by.modified || !isDateString(modified)) return true;
  if (!credible(started.local, detectedAt) || !credible(completed.local, detectedAt)) return true;
  const edited = toMoment(modified, timeZone);
  if ([edited, started, completed].some(({ ambiguous }) => ambiguous === true)) return true;
  const latest = completed.at === undefined ? latestInstant(completed.local) : Date.parse(completed.at);
  if (detectedAt - listedAt > JUST_LISTED && latest >= listedAt) return true;
  if (edited.at !== undefined && started.at !== undefined) return Date.parse(edited.at) >= Date.parse(started.at);
  return (asUtc(modified) ?? 0) + MARGIN >= (asUtc(started.local) ?? 0);
}
