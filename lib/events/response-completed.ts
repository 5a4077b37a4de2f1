import * as z from "zod";
import { meta, object, openWord } from "./parts.ts";

/** How a response was found. */
export const origins = ["head", "backlog", "search", "rescan", "full-read", "recheck", "replay"] as const;

/** The parts that could not be had, and why. */
const lacks = [
  "metrics:absent",
  "metrics:gave-up",
  "metadata:absent",
  "metadata:gave-up",
  "questions:gave-up",
] as const;

const raw = object("Raw", "Fields that were not as documented, as they were read", {});

const extra = object("Extra", "Fields that the API document does not have, as they came", {});

const moment = object("Moment", "A date of the service", {
  local: z.string().nullable().describe("The service's own string, YYYY-MM-DD HH:MM:SS, in a zone it does not name"),
  at: z.string().optional().describe("The instant in UTC (ISO 8601); only with a configured time zone"),
  ambiguous: z.boolean().optional().describe("True when a clock change makes `local` name two instants or none"),
});

const question = object("Question", "The question as the survey has it", {
  number: z.int().nullable(),
  type: z.string().nullable(),
  text: z.string().nullable().describe("Plain text: no tags, at most 1,000 characters"),
});

const bareAnswer = z.looseObject({
  questionId: z.int().nullable(),
  answer: z.array(z.int()).describe("Indexes of the chosen answers"),
  comment: z.string(),
  score: z.number().nullable(),
  matrixScore: z.unknown(),
  raw: raw.optional(),
  extra: extra.optional(),
});

const answer = object("Answer", "One record of the response", {
  ...bareAnswer.shape,
  question: question.nullable(),
  labels: z
    .array(z.string().nullable())
    .nullable()
    .describe(
      "One text for each of `answer`, in its order; null for one that is not certain, and null as a whole where none is",
    ),
});

const score = object("Score", "Points of a metric and the scale they are on", {
  pointsSum: z.number().nullish(),
  maxPointsSum: z.number().nullish(),
  minPointsSum: z.number().nullish(),
  nps: z.boolean().nullish(),
});

const metric = object("Metric", "A metric of the response", {
  key: z.string().describe("The key under which operation 11 lists the metric"),
  metricId: z.int().nullish(),
  surveyId: z.int().nullish(),
  metricName: z.string().nullish(),
  presentation: z.string().nullish(),
  maxValueIncludingEmptyAnswer: z.number().nullish(),
  testMode: z.int().nullish(),
  firstLevelThreshold: z.number().nullish(),
  secondLevelThreshold: z.number().nullish(),
  created: z.string().nullish(),
  score: score.nullish(),
  raw: raw.optional(),
});

const metadata = object("Metadata", "Where and with what the respondent answered", {
  responseId: z.int().nullish(),
  ip: z.string().nullish(),
  referrer: z.string().nullish().describe("A key that the inviter sets, like `crk`; it need be no address"),
  iso3166: z.string().nullish(),
  languageId: z.int().nullish(),
  languageName: z.string().nullish(),
  languageSymbol: z.string().nullish(),
  deviceType: z.string().nullish(),
  deviceTypeName: z.string().nullish(),
  os: z.string().nullish(),
  browser: z.string().nullish(),
  raw: raw.optional(),
});

const response = object("Response", "The response as a whole", {
  country: z.string().nullable(),
  crk: z.string().nullable().describe("The key under which the inviter knows the respondent: what a CRM joins on"),
  promoCode: z.string().nullable(),
  hasComment: z.boolean(),
  answerCount: z.int().nonnegative().describe("Number of answers, also when they went to S3"),
  started: moment,
  completed: moment,
  raw: raw.optional(),
  extra: extra.optional(),
});

export const survey = object("Survey", "The survey as the survey list showed it when it was polled last", {
  name: z.string().nullable().describe("At most 1,000 characters"),
  modified: z.string().nullable().describe("The service's own string, YYYY-MM-DD HH:MM:SS, in a zone it does not name"),
  languageId: z.int().nullable(),
});

const nps = object("Nps", "Net promoter score", {
  score: z.number().describe("0 to 10"),
  class: openWord(["promoter", "passive", "detractor"], "A promoter gave 9 or 10, a passive 7 or 8, a detractor less"),
});

const metricClass = object("MetricClass", "A metric by its two thresholds", {
  name: z.string().describe("`metricName` of the metric"),
  score: z.number().describe("Its points"),
  class: openWord(["low", "middle", "high"], "Low below the first threshold, high from the second on"),
});

const summary = object("Summary", "Worked out from the metrics, dates and answers", {
  nps: nps.nullable().describe("Of the first metric that is marked as NPS and goes from 0 to 10"),
  metrics: z.array(metricClass).optional().describe("Of metrics with two thresholds; absent where there are none"),
  scorePercent: z.number().nullable().describe("Points of all metrics together: 0 the least, 100 the most there are"),
  durationSeconds: z.number().nullable().describe("From start to completion; null where no one clock has shown both"),
  comments: z.int().nonnegative().describe("Number of answers with a comment"),
  test: z.boolean().describe("Whether the service marks a metric of it as one in test mode; false without metrics"),
});

const answersRef = object(
  "AnswersRef",
  "Claim check: where the answers lie as a JSON array when they are too large for the event",
  {
    bucket: z.string(),
    key: z.string(),
    bytes: z.int().nonnegative(),
    url: z
      .string()
      .optional()
      .describe("In requests of a webhook only: GET it without AWS credentials, within the hour"),
  },
);

/** The `meta` of every event with the contents of a response: how it was made. */
export const contentsMeta = object("ContentsMeta", "How the event of a response was made", {
  ...meta.shape,
  origin: openWord(origins, "How the response was found"),
  revision: z.int().positive().describe("1 for the first event of a response, one more for each that replaces it"),
  complete: z.boolean().describe("False when something named in `missing` could not be had"),
  missing: z.array(openWord(lacks, "What could not be had, and why")),
  irregular: z.array(z.string()).describe("Fields that were not as documented"),
  reduced: z
    .boolean()
    .optional()
    .describe(
      "True in a copy without comments, metadata, key and code, as the bus of facts has it; absent in all others",
    ),
});

/** The contents of a response. */
export const contents = object("Contents", "The contents of a response", {
  surveyId: z.int(),
  responseId: z.int(),
  survey: survey.nullable(),
  summary,
  response,
  metrics: z.array(metric),
  metadata: metadata.nullable(),
  answers: z.array(answer),
  labelsMayDiffer: z
    .boolean()
    .describe(
      "True where the survey may have been edited after the respondent began, so that questions and labels may be later ones",
    ),
  answersRef: answersRef.nullable(),
});

/** The `detail` of a `response.completed` event. */
export const responseCompleted = object("ResponseCompleted", "A completed survey response", {
  meta: contentsMeta,
  data: contents,
});

export type ResponseCompleted = z.infer<typeof responseCompleted>;
export type Answer = z.infer<typeof answer>;
/** An answer without the words of its question. */
export type BareAnswer = z.infer<typeof bareAnswer>;
export type Question = z.infer<typeof question>;
export type Metric = z.infer<typeof metric>;
export type Metadata = z.infer<typeof metadata>;
export type Moment = z.infer<typeof moment>;
export type SurveyFacts = z.infer<typeof survey>;
export type Summary = z.infer<typeof summary>;
export type AnswersRef = z.infer<typeof answersRef>;
export type Origin = (typeof origins)[number];
