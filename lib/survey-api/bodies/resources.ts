import {
  arrayOf,
  bool,
  fields,
  id,
  integer,
  mapOf,
  neededFlag,
  nullable,
  nullSeen,
  type Of,
  resource,
  text,
} from "./field.ts";

// Every resource in section 2 of the API document. Unknown fields are kept at every level. A date-time is a text `YYYY-MM-DD HH:MM:SS`
// without a zone. Its form is not enforced: zero dates and "" are met in its place. A flag is an integer, usually 0 or 1.

/** Section 2.1: one element of the survey list (operation 2). `created` is in seconds since the epoch, `modified` has no zone. */
export type SurveyListItem = Of<typeof surveyListItem>;
export const surveyListItem = resource({
  surveyId: id,
  ...fields(integer, "userId", "surveyThemeId", "pageRotation", "blockRotation", "languageId", "opened"),
  ...fields(text, "name", "defaultName", "questionNumbering", "modified"),
  /** Unix timestamp in seconds; every other date of the service is a string. */
  created: integer,
  // Counts; of what exactly is not shown.
  ...fields(integer, "impressions", "responses", "correct", "unpaidResponses", "campaignCount"),
  ...fields(nullSeen, "headerPageTitleShow", "headerPageNumberShow", "logoPlacement", "layoutHideProgressBar"),
  ...fields(nullSeen, "footerVisible", "headerShowTitle", "answerOneClick"),
  ...fields(nullSeen, "logoVisibility", "logoVisibilityEmbedded", "logoURL"),
});

/** Fields that are the same in `params` and `questionParams`. */
const sharedParams = {
  ...fields(text, "question", "description", "questionImgURL", "open", "noneAbove", "presentation"),
  ...fields(integer, "required", "comments", "maxNumberOfAnswers", "minNumberOfAnswers", "multiple", "points"),
  ...fields(integer, "columnElements", "presentationTiled", "random"),
  /** 0 or 1. Spelled so by the service: "Lable". */
  hideLableText: integer,
  answers: arrayOf(text),
  /** The type of its elements is not shown. */
  imageAnswer: arrayOf(nullSeen),
  /** Scores as strings by answer index, and the largest under `max`. */
  scoreArray: mapOf(text),
  randomizeOptions: bool,
};

/** Section 2.2: the object `params` of a question in a full survey; `hideLableText` is spelled so by the service. */
export type QuestionParams = Of<typeof questionParams>;
/** `exclusionQuestion` is a boolean here, an integer in the list of questions. */
export const questionParams = resource({ ...sharedParams, exclusionQuestion: bool });

/** Section 2.2: a question of a full survey. */
export type Question = Of<typeof question>;
export const question = resource({
  ...fields(integer, "questionId", "pageId", "questionIsRotated", "isRandomQuestion", "number", "questionIdBySurvey"),
  ...fields(integer, "points", "open"),
  ...fields(text, "type", "templateFile", "opentext"),
  ...fields(bool, "numbering", "addedToBank"),
  params: questionParams,
});

/** Section 2.3: the texts of a question that can be translated; its `answers` are independent of those beside it. */
export type Translatable = Of<typeof translatable>;
export const translatable = resource({
  ...fields(text, "question", "description", "open", "noneAbove"),
  answers: arrayOf(text),
});

/** Section 2.3: the object `questionParams`: as `QuestionParams`, but `exclusionQuestion` is 0 or 1, with `translatable` besides. */
export type QuestionListItemParams = Of<typeof questionListItemParams>;
export const questionListItemParams = resource({ ...sharedParams, exclusionQuestion: integer, translatable });

/** Section 2.3: one element of the list of questions (operation 4). */
export type QuestionListItem = Of<typeof questionListItem>;
export const questionListItem = resource({
  questionId: id,
  ...fields(integer, "number", "questionIdBySurvey"),
  type: text,
  /** Named `params` in the full survey. */
  questionParams: questionListItemParams,
});

/** Section 2.2: a block of a full survey; `pagesOrder` is pageId by position. */
export type Block = Of<typeof block>;
export const block = resource({
  ...fields(integer, "blockId", "surveyId", "blockIsRotated", "blockNumber", "blockIdBySurvey"),
  blockName: text,
  pagesOrder: mapOf(integer),
});

/** Section 2.2: a page of a full survey; `questionsOrder` is its questionIds in order. */
export type Page = Of<typeof page>;
export const page = resource({
  ...fields(integer, "surveyId", "pageId", "number", "pageIdBySurvey", "welcomePage", "titleVisible", "blockId"),
  ...fields(integer, "questionOffset", "pageIsRotated", "questionsRotation"),
  title: text,
  description: nullable(text),
  /** An array, where blocks and pages are ordered by maps. */
  questionsOrder: arrayOf(integer),
  randomQuestion: nullSeen,
});

/** Section 2.2: the whole survey (operation 3): blocks, pages and questions by their identifiers, `blocksOrder` by position from 1. */
export type FullSurvey = Of<typeof fullSurvey>;
export const fullSurvey = resource({
  surveyId: id,
  ...fields(integer, "userId", "surveyThemeId", "pageRotation", "blockRotation", "public", "defaultTranslation"),
  ...fields(text, "modified", "name", "title", "questionNumbering", "textDirection"),
  languageId: nullable(integer),
  /** A boolean here, null seen in the survey list. */
  answerOneClick: bool,
  blocksById: mapOf(block),
  pagesById: mapOf(page),
  questionsById: mapOf(question),
  blocksOrder: mapOf(integer),
});

/** Section 2.4: one answered question of one response (operations 6 to 8); its dates have no zone. */
export type ResponseRecord = Of<typeof responseRecord>;
export const responseRecord = resource({
  responseId: id,
  surveyId: integer,
  /** Country code. */
  iso3166: text,
  /** The key of operation 10; null seen, a string where the response has one. */
  crk: nullSeen,
  ...fields(nullSeen, "promoCode", "matrixScore"),
  /** 0: open, 1: completed. */
  completed: neededFlag,
  ...fields(text, "dateStart", "dateCompleted", "comment"),
  questionId: integer,
  /** Indexes of the chosen answers. */
  answer: arrayOf(integer),
  score: nullable(integer),
});

/** Section 2.5: where and with what a response was given (operation 13); `ip` and `referrer` are personal data. */
export type ResponseMetadata = Of<typeof responseMetadata>;
export const responseMetadata = resource({
  responseId: integer,
  /** A key that the inviter sets, as `crk` is; it need be no address. */
  referrer: nullable(text),
  ...fields(text, "ip", "iso3166", "deviceType", "deviceTypeName", "os", "browser"),
  languageId: nullable(integer),
  ...fields(nullable(text), "languageName", "languageSymbol"),
});

/** Fields that metrics of a response and of a report have in common. */
const metricHead = {
  ...fields(integer, "metricId", "surveyId", "maxValueIncludingEmptyAnswer", "testMode"),
  ...fields(text, "metricName", "presentation"),
  /** `YYYY-MM-DD HH:MM:SS`, in a zone that the service does not name; a number in the survey list. */
  created: text,
  ...fields(nullable(integer), "firstLevelThreshold", "secondLevelThreshold"),
};

/** Section 2.6: the points that one response has in one metric. */
export type ResponseScore = Of<typeof responseScore>;
export const responseScore = resource({ ...fields(integer, "pointsSum", "maxPointsSum", "minPointsSum"), nps: bool });

/** Section 2.6: a metric of one response: a value in the map of operation 11. How its key relates to `metricId` is not shown. */
export type ResponseMetric = Of<typeof responseMetric>;
export const responseMetric = resource({ ...metricHead, score: responseScore });

/** Section 2.7: a metric of a report (operation 12); `score` and `responseSum` are numbers in strings, `minPointSum` is spelled so. */
export type ReportMetric = Of<typeof reportMetric>;
export const reportMetric = resource({
  ...metricHead,
  ...fields(text, "score", "condition", "responseSum"),
  ...fields(integer, "maxPointsSum", "minPointSum"),
});

/** Section 2.8: an item of the list of reports (operation 5) as it was read, since its fields are not shown. */
export interface ReportListItem {
  /** For operation 12; undefined when none can be made out. */
  reportId: number | undefined;
  raw: unknown;
}
