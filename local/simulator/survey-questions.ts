import { hash32 } from "./hashing.ts";
import { maxRecords } from "./settings.ts";
import { someWords } from "./words.ts";

/** The numbers from which the questions of a survey are computed. */
export interface SurveyQuestions {
  seed: number;
  surveyId: number;
  /** Number of questions. */
  questions: number;
  /** Grows when the survey is edited. */
  edition: number;
}

export interface SimulatedQuestion {
  questionId: number;
  /** 1-based position in the survey. */
  number: number;
  kind: "single" | "multiple" | "open";
  text: string;
  answers: string[];
}

/** The question at a 0-based position of the survey. */
export function questionAt(survey: SurveyQuestions, index: number): SimulatedQuestion {
  const draw = hash32(survey.seed, survey.surveyId, index, 70);
  const kind = (["single", "single", "multiple", "open"] as const)[draw % 4] ?? "single";
  const answers = kind === "open" ? 0 : 2 + (hash32(draw, 1) % 5);
  const edited = survey.edition === 0 ? "" : ` (${survey.edition + 1})`;
  return {
    // Ids of an account's questions do not collide: a survey has fewer questions than a response may have records.
    questionId: survey.surveyId * (maxRecords + 1) + index + 1,
    number: index + 1,
    kind,
    text: `${someWords(draw, 4)}?${edited}`,
    answers: Array.from({ length: answers }, (_, answer) => someWords(hash32(draw, 2, answer), 2)),
  };
}

/** Every question of the survey, in order. */
export function surveyQuestions(survey: SurveyQuestions): SimulatedQuestion[] {
  return Array.from({ length: survey.questions }, (_, index) => questionAt(survey, index));
}
