import type { Settings } from "./settings.ts";
import { type SimulatedQuestion, type SurveyQuestions, surveyQuestions } from "./survey-questions.ts";

/** Section 2.3: the questions alone. */
export function questionList(survey: SurveyQuestions, settings: Settings): Record<string, unknown>[] {
  return surveyQuestions(survey).map((question) => {
    const { text, answers } = question;
    return {
      questionId: question.questionId,
      number: question.number,
      questionIdBySurvey: question.number,
      type: "simple",
      questionParams: {
        ...questionParams(question, settings),
        exclusionQuestion: 0,
        translatable: { question: text, description: "", open: "", noneAbove: "", answers: [...answers] },
      },
    };
  });
}

/** Question params of section 2.2, misspelling included. */
export function questionParams(
  { kind, text, answers }: SimulatedQuestion,
  { answersFrom }: Pick<Settings, "answersFrom">,
): Record<string, unknown> {
  return {
    question: text,
    description: "",
    required: 0,
    comments: 1,
    exclusionQuestion: false,
    questionImgURL: "",
    maxNumberOfAnswers: kind === "single" ? 1 : answers.length,
    minNumberOfAnswers: 0,
    answers,
    imageAnswer: [],
    open: "",
    multiple: kind === "multiple" ? 1 : 0,
    noneAbove: "",
    hideLableText: 0,
    points: 0,
    columnElements: 1,
    scoreArray: {
      ...Object.fromEntries(answers.map((_, index) => [index + answersFrom, String(index)])),
      max: String(Math.max(0, answers.length - 1)),
    },
    presentationTiled: 0,
    presentation: "tiles-horizontal",
    random: 0,
    randomizeOptions: false,
  };
}
