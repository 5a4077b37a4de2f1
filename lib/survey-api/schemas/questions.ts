import * as z from "zod";
import { flag, integer, mapOf } from "./fields.ts";

/** Fields that are the same in `params` and `questionParams`. */
const sharedParams = {
  /** The question text. */
  question: z.string(),
  description: z.string(),
  /** 0 or 1. */
  required: flag,
  /** 0 or 1. */
  comments: flag,
  questionImgURL: z.string(),
  maxNumberOfAnswers: integer,
  minNumberOfAnswers: integer,
  answers: z.array(z.string()),
  /** The type of its elements is not shown. */
  imageAnswer: z.array(z.unknown()),
  open: z.string(),
  /** 0 or 1. */
  multiple: flag,
  noneAbove: z.string(),
  /** 0 or 1. Spelled so by the service: "Lable". */
  hideLableText: flag,
  points: integer,
  columnElements: integer,
  /** Scores as strings by answer index, and the largest under `max`. */
  scoreArray: mapOf(z.string()),
  /** 0 or 1. */
  presentationTiled: flag,
  /** Value seen: `tiles-horizontal`. */
  presentation: z.string(),
  /** 0 or 1. */
  random: flag,
  randomizeOptions: z.boolean(),
};

/** Section 2.2: the object `params` of a question in a full survey; `hideLableText` is spelled so by the service. */
export const questionParamsSchema = z.looseObject({
  ...sharedParams,
  /** A boolean here, an integer in the list of questions. */
  exclusionQuestion: z.boolean(),
});

/** Section 2.2: the object `params` of a question in a full survey; `hideLableText` is spelled so by the service. */
export type QuestionParams = z.infer<typeof questionParamsSchema>;

/** Section 2.2: a question of a full survey. */
export const questionSchema = z.looseObject({
  questionId: integer,
  pageId: integer,
  /** Value seen: `simple`. */
  type: z.string(),
  params: questionParamsSchema,
  /** 0 or 1. */
  questionIsRotated: flag,
  /** 0 or 1. */
  isRandomQuestion: flag,
  numbering: z.boolean(),
  number: integer,
  questionIdBySurvey: integer,
  addedToBank: z.boolean(),
  /** A template path of the form `questions/<type>.tpl`. */
  templateFile: z.string(),
  points: integer,
  opentext: z.string(),
  open: integer,
});

/** Section 2.2: a question of a full survey. */
export type Question = z.infer<typeof questionSchema>;

/** Section 2.3: the texts that can be translated; its `answers` are independent of those beside it. */
export const translatableSchema = z.looseObject({
  question: z.string(),
  description: z.string(),
  open: z.string(),
  noneAbove: z.string(),
  answers: z.array(z.string()),
});

/** Section 2.3: the texts of a question that can be translated. */
export type Translatable = z.infer<typeof translatableSchema>;

/** Section 2.3: the object `questionParams` of a question in the list of questions. */
export const questionListItemParamsSchema = z.looseObject({
  ...sharedParams,
  /** 0 or 1: an integer here, a boolean in the full survey. */
  exclusionQuestion: flag,
  translatable: translatableSchema,
});

/** Section 2.3: the object `questionParams`: as `QuestionParams`, but `exclusionQuestion` is 0 or 1, with `translatable` besides. */
export type QuestionListItemParams = z.infer<typeof questionListItemParamsSchema>;

/** Section 2.3: one element of the list of questions (operation 4). */
export const questionListItemSchema = z.looseObject({
  questionId: integer,
  number: integer,
  questionIdBySurvey: integer,
  type: z.string(),
  /** Named `params` in the full survey. */
  questionParams: questionListItemParamsSchema,
});

/** Section 2.3: one element of the list of questions (operation 4). */
export type QuestionListItem = z.infer<typeof questionListItemSchema>;
