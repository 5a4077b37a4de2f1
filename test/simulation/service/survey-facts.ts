import { mix } from "../engine/random.ts";
import { localString, type ServiceClock } from "./service-clock.ts";
import type { Json, SimSurvey } from "./survey-model.ts";

/** Questions that a survey has in any of its editions; records name later ones, too, which no definition has. */
const QUESTIONS = 40;
const CHOICES = 5;

/** How often a survey was edited until a moment (epoch milliseconds). */
export function editionAt({ id, words }: SimSurvey, at: number): number {
  return Math.floor((at + (mix(id, 5) % words.editedEvery)) / words.editedEvery);
}

function modifiedIn({ id, words }: SimSurvey, edition: number, clock: ServiceClock): string {
  return localString(clock, edition * words.editedEvery - (mix(id, 5) % words.editedEvery));
}

/** What the survey list says of a survey in one of its editions. */
export function factsOf(survey: SimSurvey, edition: number, clock: ServiceClock): Json {
  return {
    name: `Survey ${survey.id}, edition ${edition}`,
    modified: modifiedIn(survey, edition, clock),
    languageId: survey.id % 3 === 0 ? null : 23,
  };
}

/** The edition that a name, a question or a label is of. */
export function editionOf(text: unknown): number | undefined {
  const [, edition] = / edition (\d+)/.exec(String(text)) ?? [];
  return edition === undefined ? undefined : Number(edition);
}

/** Whether a survey has a question in one of its editions: one in twelve is taken out of each. */
export function hasQuestion({ id }: SimSurvey, edition: number, question: number): boolean {
  return question <= QUESTIONS && mix(mix(id, edition), question) % 12 > 0;
}

/** The texts as a reader sees them; `choice` counts from 0. */
export const questionText = (edition: number, question: number): string =>
  `Question ${question} of edition ${edition}: good & fair?`;
export const choiceText = (edition: number, question: number, choice: number): string =>
  `No. ${(choice + edition) % CHOICES} <3 of question ${question}, edition ${edition}`;

/** The whole survey (operation 3) in one of its editions. */
export function definitionOf(survey: SimSurvey, edition: number, clock: ServiceClock): Json {
  const { base, evidence, isHtml } = survey.words;
  const shown = (text: string): string =>
    isHtml ? `<p><b>${text.replace("&", "&amp;").replace("<", "&lt;").replace(" of", "</b>&nbsp;of")}<br></p>` : text;
  const ids = Array.from({ length: QUESTIONS }, (_, i) => i + 1).filter((id) => hasQuestion(survey, edition, id));
  const questions = ids.map((id, place) => {
    const choices = Array.from({ length: CHOICES }, (_, choice) => shown(choiceText(edition, id, choice)));
    const first = evidence === "contradictory" ? place % 2 : base;
    const scores = Object.fromEntries(choices.map((_, choice) => [String(choice + first), String(choice)]));
    return {
      questionId: id,
      type: "simple",
      number: place + 1,
      params: {
        question: shown(questionText(edition, id)),
        answers: choices,
        scoreArray: evidence === "untold" ? [] : { ...scores, max: String(CHOICES - 1) },
      },
    };
  });
  return {
    surveyId: survey.id,
    ...factsOf(survey, edition, clock),
    questionsById: Object.fromEntries(questions.map((question) => [question.questionId, question])),
  };
}
