import type { Counts } from "./counts.ts";
import { dateTimeString } from "./dates.ts";
import { questionParams } from "./question-bodies.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";
import { type SimulatedQuestion, surveyQuestions } from "./survey-questions.ts";

const userId = 501;
const themeId = 12;
const languageId = 23;
const questionsOnPage = 5;
const pagesInBlock = 4;

/** The facts of the survey in the list. */
export function listedFacts(
  survey: Survey,
  settings: Settings,
): { name: string; modified: string; languageId: number } {
  return { name: survey.name, modified: dateTimeString(survey.modifiedAt, settings.zone), languageId };
}

/** Section 2.1: one element of the survey list. */
export function surveyListItem(survey: Survey, counts: Counts, settings: Settings): Record<string, unknown> {
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
    responses: counts.of(survey, "responses"),
    correct: counts.of(survey, "correct"),
    unpaidResponses: counts.of(survey, "unpaidResponses"),
    opened: survey.tally.everCompleted + survey.tally.open,
    campaignCount: 1,
  };
}

/** Section 2.2: the whole survey with blocks, pages and questions. */
export function fullSurvey(survey: Survey, settings: Settings): Record<string, unknown> {
  const questions = surveyQuestions(survey);
  const pages = grouped(questions, questionsOnPage).map((onPage, index) => pageBody(survey, onPage, index));
  const blocks = grouped(pages, pagesInBlock).map((inBlock, index) => ({
    blockId: idIn(survey, index),
    surveyId: survey.surveyId,
    blockIsRotated: 0,
    blockNumber: index + 1,
    blockIdBySurvey: index + 1,
    blockName: `Block ${index + 1}`,
    pagesOrder: byPosition(inBlock.map((page) => page.pageId)),
  }));
  return {
    surveyId: survey.surveyId,
    userId,
    modified: dateTimeString(survey.modifiedAt, settings.zone),
    surveyThemeId: themeId,
    languageId,
    name: survey.name,
    title: survey.name,
    questionNumbering: "survey",
    textDirection: "ltr",
    pageRotation: 0,
    blockRotation: 0,
    answerOneClick: false,
    blocksById: Object.fromEntries(blocks.map((block) => [block.blockId, block])),
    pagesById: Object.fromEntries(pages.map((page) => [page.pageId, page])),
    questionsById: Object.fromEntries(
      questions.map((question) => [question.questionId, questionBody(survey, question, settings)]),
    ),
    public: 1,
    defaultTranslation: 1,
    blocksOrder: byPosition(blocks.map((block) => block.blockId)),
  };
}

function pageBody(survey: Survey, questions: readonly SimulatedQuestion[], index: number) {
  return {
    surveyId: survey.surveyId,
    pageId: idIn(survey, index),
    number: index + 1,
    pageIdBySurvey: index + 1,
    welcomePage: 0,
    title: `Page ${index + 1}`,
    description: null,
    titleVisible: 1,
    blockId: idIn(survey, Math.floor(index / pagesInBlock)),
    questionOffset: index * questionsOnPage,
    questionsOrder: questions.map((question) => question.questionId),
    pageIsRotated: 0,
    questionsRotation: 0,
    randomQuestion: null,
  };
}

function questionBody(survey: Survey, question: SimulatedQuestion, settings: Settings): Record<string, unknown> {
  return {
    questionId: question.questionId,
    pageId: idIn(survey, Math.floor((question.number - 1) / questionsOnPage)),
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

/** Pages and blocks are numbered through the account, a thousand for each survey. */
const idIn = (survey: Survey, index: number): number => survey.surveyId * 1000 + index + 1;

const byPosition = (ids: readonly number[]) => Object.fromEntries(ids.map((id, index) => [index + 1, id]));

function grouped<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
