import type { Answer, BareAnswer, Moment, Question } from "../response-completed.ts";
import { asUtc, credible, isDateString, latestInstant, MARGIN } from "./date-string.ts";
import type { DefinedQuestion, SurveyDefinition } from "./definition.ts";
import type { Read } from "./fields.ts";
import { toMoment } from "./local-time.ts";

/** The words of their questions in answers: text and labels, labels alone, or nothing. */
export type QuestionsMode = "full" | "labels" | "none";

/** Types of questions whose answers are known to be numbers of choices. */
const CHOICE_TYPES: ReadonlySet<string | null> = new Set(["simple", "single", "multi"]);

/** Gives an answer the words of its question; null where they cannot be told for certain, which `irregular` says. */
export function withWords(
  { value, irregular }: Read<BareAnswer>,
  definition: SurveyDefinition | undefined,
  mode: QuestionsMode,
): Read<Answer> {
  const own = (name: string): string => `answers.${value.questionId ?? "?"}.${name}`;
  const words = (question: Question | null, labels: Answer["labels"], why: string[]): Read<Answer> => ({
    value: { ...value, question, labels },
    irregular: [...irregular.map(own), ...why],
  });
  if (definition === undefined || mode === "none") return words(null, null, []);
  const defined = definition.questions[value.questionId ?? ""];
  if (defined === undefined) return words(null, null, [own("question")]);
  const { number, type, text } = defined;
  const question = mode === "full" ? { number, type, text } : null;
  if (irregular.includes("answer")) return words(question, null, []);
  const labels = labelsOf(value, defined, definition.indexBase);
  if (typeof labels !== "string") return words(question, labels, []);
  return words(question, null, [labels === "labels" ? own(labels) : labels]);
}

/** The text of each chosen answer, null where that is not certain. Null as a whole where there are none, and the reason where nothing is certain. */
function labelsOf(
  { answer, matrixScore }: BareAnswer,
  { type, choices, others, isMatrix }: DefinedQuestion,
  base: SurveyDefinition["indexBase"],
): (string | null)[] | null | string {
  if (answer.length === 0) return [];
  if (matrixScore !== null || isMatrix) return "labels:matrix";
  // A scale has no choices, and its answers no labels.
  if (choices?.length === 0) return null;
  if (!CHOICE_TYPES.has(type)) return "labels:type";
  if (typeof base !== "number") return `labels:${base}-index-base`;
  if (choices === null || new Set(answer).size < answer.length) return "labels";
  const labels = answer.map((index) => {
    if (index < base) return undefined;
    // fault: labels-from-one
    const text = choices[index - base];
    if (text !== undefined || others.length === 0) return text;
    // The only answer beside the choices is the next one after them. Of two nobody knows which comes first.
    return (others.length === 1 && index - base === choices.length ? others[0] : null) ?? null;
  });
  return labels.every((label) => label !== undefined) ? labels : "labels";
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
  // By any zone: that of the configuration may be wrong, and here it would be compared with our own clock.
  // fault: old-list-believed
  if (detectedAt - listedAt > JUST_LISTED && latestInstant(completed.local) >= listedAt) return true;
  if (edited.at !== undefined && started.at !== undefined) return Date.parse(edited.at) >= Date.parse(started.at);
  // fault: later-words-certain
  return (asUtc(modified) ?? 0) + MARGIN >= (asUtc(started.local) ?? 0);
}
