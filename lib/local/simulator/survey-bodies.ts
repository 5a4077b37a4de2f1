import { dateTimeString } from "./dates.ts";
import type { ListedRecord } from "./responses.ts";
import type { Settings } from "./settings.ts";
import { countOf, type Survey } from "./survey.ts";
import { type SimulatedQuestion, type SurveyQuestions, surveyQuestions } from "./survey-questions.ts";

const userId = 501;
const themeId = 12;
const languageId = 23;

/** The facts of the survey in the list. */
export function listedFacts(
  survey: Survey,
  settings: Settings,
): { name: string; modified: string; languageId: number } {
  return { name: survey.name, modified: dateTimeString(survey.modifiedAt, settings.zone), languageId };
}

/** Section 2.1: one element of the survey list. */
export function surveyListItem(survey: Survey, settings: Settings, now: number): Record<string, unknown> {
  return {
    surveyId: survey.surveyId,
    userId,
    surveyThemeId: themeId,
    ...listedFacts(survey, settings),
    defaultName: survey.name,
    questionNumbering: "survey",
    headerPageTitleShow: null,
    headerPageNumberShow: null,
    pageRotation: 0,
    blockRotation: 0,
    logoPlacement: null,
    layoutHideProgressBar: null,
    created: Math.floor(survey.createdAt / 1000),
    footerVisible: null,
    headerShowTitle: null,
    answerOneClick: null,
    logoVisibility: null,
    logoVisibilityEmbedded: null,
    logoURL: null,
    impressions: survey.impressions,
    responses: countOf(survey, "responses", settings, now),
    correct: countOf(survey, "correct", settings, now),
    unpaidResponses: countOf(survey, "unpaidResponses", settings, now),
    opened: survey.tally.everCompleted + survey.tally.open,
    campaignCount: 1,
  };
}

/** Section 2.2: the whole survey, with its questions on one page in one block. */
export function fullSurvey(survey: Survey, settings: Settings): Record<string, unknown> {
  const { surveyId, name } = survey;
  const questions = surveyQuestions(survey);
  // Pages and blocks are numbered through the account.
  const [pageId, blockId] = [surveyId * 1000 + 1, surveyId * 1000 + 1];
  return {
    surveyId,
    userId,
    modified: dateTimeString(survey.modifiedAt, settings.zone),
    surveyThemeId: themeId,
    languageId,
    name,
    title: name,
    questionNumbering: "survey",
    textDirection: "ltr",
    pageRotation: 0,
    blockRotation: 0,
    answerOneClick: false,
    blocksById: {
      [blockId]: {
        blockId,
        surveyId,
        blockIsRotated: 0,
        blockNumber: 1,
        blockIdBySurvey: 1,
        blockName: "Block 1",
        pagesOrder: { 1: pageId },
      },
    },
    pagesById: {
      [pageId]: {
        surveyId,
        pageId,
        number: 1,
        pageIdBySurvey: 1,
        welcomePage: 0,
        title: "Page 1",
        description: null,
        titleVisible: 1,
        blockId,
        questionOffset: 0,
        questionsOrder: questions.map(({ questionId }) => questionId),
        pageIsRotated: 0,
        questionsRotation: 0,
        randomQuestion: null,
      },
    },
    questionsById: Object.fromEntries(
      questions.map((question) => [question.questionId, { ...questionBody(question, settings), pageId }]),
    ),
    public: 1,
    defaultTranslation: 1,
    blocksOrder: { 1: blockId },
  };
}

function questionBody(question: SimulatedQuestion, settings: Settings): Record<string, unknown> {
  return {
    questionId: question.questionId,
    type: "simple",
    params: questionParams(question, settings),
    questionIsRotated: 0,
    isRandomQuestion: 0,
    numbering: true,
    number: question.number,
    questionIdBySurvey: question.number,
    addedToBank: false,
    templateFile: "questions/simple.tpl",
    points: 0,
    opentext: "",
    open: question.kind === "open" ? 1 : 0,
  };
}

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
function questionParams(
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

/** Shapes that the API document does not show; each follows one plausible reading of it. */

const answerFields = ["questionId", "answer", "comment", "score", "matrixScore"];

/** Operations 9 and 10: one response from its records. */
export function singleResponseBody(records: readonly ListedRecord[], shape: Settings["singleResponseBody"]): unknown {
  const isOfAnswer = ([field]: [string, unknown]) => answerFields.includes(field);
  const head = Object.fromEntries(Object.entries(records[0] ?? {}).filter((entry) => !isOfAnswer(entry)));
  const answers = records.map((record) => Object.fromEntries(Object.entries(record).filter(isOfAnswer)));
  switch (shape) {
    case "records":
      return records;
    case "firstRecord":
      return records.slice(0, 1);
    case "objectWithAnswers":
      return { ...head, answers };
  }
}

/** The ids of a survey's reports. */
export function reportIds(survey: Survey): number[] {
  return [survey.surveyId * 10 + 1, survey.surveyId * 10 + 2];
}

/** Operation 5. */
export function reportsBody(survey: Survey, settings: Settings): unknown {
  return reportIds(survey).map((reportId, index) => ({
    reportId,
    surveyId: survey.surveyId,
    name: `Report ${index + 1}`,
    created: dateTimeString(survey.createdAt, settings.zone),
  }));
}
