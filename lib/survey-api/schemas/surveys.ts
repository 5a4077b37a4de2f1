import * as z from "zod";
import { dateTime, flag, integer, mapOf, nullSeen } from "./fields.ts";
import { questionSchema } from "./questions.ts";

/** Section 2.1: one element of the survey list (operation 2). */
export const surveyListItemSchema = z.looseObject({
  surveyId: integer,
  userId: integer,
  surveyThemeId: integer,
  name: z.string(),
  defaultName: z.string(),
  /** Value seen: `survey`. */
  questionNumbering: z.string(),
  headerPageTitleShow: nullSeen,
  headerPageNumberShow: nullSeen,
  pageRotation: integer,
  blockRotation: integer,
  logoPlacement: nullSeen,
  layoutHideProgressBar: nullSeen,
  /** Unix timestamp in seconds; every other date of the service is a string. */
  created: integer,
  /** `YYYY-MM-DD HH:MM:SS`, in a zone that the service does not name. */
  modified: dateTime,
  footerVisible: nullSeen,
  headerShowTitle: nullSeen,
  answerOneClick: nullSeen,
  logoVisibility: nullSeen,
  logoVisibilityEmbedded: nullSeen,
  logoURL: nullSeen,
  languageId: integer,
  impressions: integer,
  /** A count; of what exactly is not shown. */
  responses: integer,
  /** A count; of what exactly is not shown. */
  correct: integer,
  /** A count; of what exactly is not shown. */
  unpaidResponses: integer,
  opened: integer,
  campaignCount: integer,
});

/** Section 2.1: one element of the survey list (operation 2). `created` is in seconds since the epoch, `modified` has no zone. */
export type SurveyListItem = z.infer<typeof surveyListItemSchema>;

/** Section 2.2: a block of a full survey. */
export const blockSchema = z.looseObject({
  blockId: integer,
  surveyId: integer,
  /** 0 or 1. */
  blockIsRotated: flag,
  blockNumber: integer,
  blockIdBySurvey: integer,
  blockName: z.string(),
  /** pageId by position. */
  pagesOrder: mapOf(integer),
});

/** Section 2.2: a block of a full survey; `pagesOrder` is pageId by position. */
export type Block = z.infer<typeof blockSchema>;

/** Section 2.2: a page of a full survey. */
export const pageSchema = z.looseObject({
  surveyId: integer,
  pageId: integer,
  number: integer,
  pageIdBySurvey: integer,
  /** 0 or 1. */
  welcomePage: flag,
  title: z.string(),
  description: z.string().nullable(),
  /** 0 or 1. */
  titleVisible: flag,
  /** The block that holds the page. */
  blockId: integer,
  questionOffset: integer,
  /** questionId in page order: an array, where blocks and pages are ordered by maps. */
  questionsOrder: z.array(integer),
  /** 0 or 1. */
  pageIsRotated: flag,
  questionsRotation: integer,
  randomQuestion: nullSeen,
});

/** Section 2.2: a page of a full survey; `questionsOrder` is its questionIds in order. */
export type Page = z.infer<typeof pageSchema>;

/** Section 2.2: the whole survey with its blocks, pages and questions (operation 3). */
export const fullSurveySchema = z.looseObject({
  surveyId: integer,
  userId: integer,
  /** `YYYY-MM-DD HH:MM:SS`, in a zone that the service does not name. */
  modified: dateTime,
  surveyThemeId: integer,
  languageId: integer.nullable(),
  name: z.string(),
  title: z.string(),
  /** Value seen: `survey`. */
  questionNumbering: z.string(),
  /** Value seen: `ltr`. */
  textDirection: z.string(),
  pageRotation: integer,
  blockRotation: integer,
  /** A boolean here, null seen in the survey list. */
  answerOneClick: z.boolean(),
  /** Block by blockId. */
  blocksById: mapOf(blockSchema),
  /** Page by pageId. */
  pagesById: mapOf(pageSchema),
  /** Question by questionId. */
  questionsById: mapOf(questionSchema),
  /** 0 or 1. */
  public: flag,
  defaultTranslation: integer,
  /** blockId by position; positions count from 1. */
  blocksOrder: mapOf(integer),
});

/** Section 2.2: the whole survey (operation 3): blocks, pages and questions by their identifiers, `blocksOrder` by position from 1. */
export type FullSurvey = z.infer<typeof fullSurveySchema>;
