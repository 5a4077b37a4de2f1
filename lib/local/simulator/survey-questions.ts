import { hash32 } from "./hashing.ts";
import { maxRecords } from "./settings.ts";

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
    answers: Array.from({ length: answers }, (_, answer) => `${someWords(hash32(draw, 2, answer), 2)}${edited}`),
  };
}

export function surveyQuestions(survey: SurveyQuestions): SimulatedQuestion[] {
  return Array.from({ length: survey.questions }, (_, index) => questionAt(survey, index));
}

const words =
  "Szybka obsługa i miła rozmowa too long to wait but very helpful staff żółty formularz nie działa w telefonie 👍 würde es wieder kaufen price Q&A <3 ok".split(
    " ",
  );

/** Some words, the same for the same seed; beyond ASCII, as comments are. */
export function someWords(seed: number, count: number): string {
  return Array.from({ length: count }, (_, index) => words[hash32(seed, index, 40) % words.length]).join(" ");
}

/** A text of exactly so many bytes in UTF-8. */
export function textOfBytes(seed: number, bytes: number): string {
  const encoded = Buffer.from(`${someWords(seed, 40)} `);
  const repeated = Buffer.alloc(bytes, encoded).toString("utf8");
  // The cut may fall inside a character: what is left of it is filled with ASCII.
  const whole = repeated.replace(/\uFFFD+$/u, "");
  return whole.padEnd(whole.length + bytes - Buffer.byteLength(whole), ".");
}
