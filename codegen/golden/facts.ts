import type { EventFacts } from "../../lib/events/build/build-event.ts";
import type { SurveyDefinition } from "../../lib/events/build/definition.ts";

// What the service said of a made-up survey and of one response to it. Every golden event is made of these, with what it is about changed.

export const SOURCE_NAME = "main";
export const SURVEY_ID = 103;

/** 2026-03-10 12:00:30 UTC. */
export const noon = Date.UTC(2026, 2, 10, 12, 0, 30);

export const survey = { name: "After a visit", modified: "2026-03-01 10:00:00", languageId: 23 };

const plain = { others: [], isMatrix: false };
const liked = { choices: ["The place", "The people", "The price"], isMatrix: false };
const definition: SurveyDefinition = {
  modified: survey.modified,
  indexBase: 1,
  questions: {
    421997: { number: 1, type: "simple", text: "How was it?", choices: ["Bad", "Fair", "Good", "Very good"], ...plain },
    421998: { number: 2, type: "multi", text: "What did you like?", ...liked, others: ["Other", "None of these"] },
    421999: { number: 3, type: "nps", text: "Would you recommend us?", choices: [], ...plain },
    422000: { number: 4, type: "single", text: "What did you like most?", ...liked, others: ["Something else"] },
    422001: {
      number: 5,
      type: "matrix",
      text: "How were they?",
      choices: ["Staff", "Food"],
      others: [],
      isMatrix: true,
    },
  },
};

export const record = {
  surveyId: SURVEY_ID,
  iso3166: "PL",
  crk: "customer-1042",
  promoCode: null,
  completed: 1,
  dateStart: "2026-03-10 12:45:00",
  dateCompleted: "2026-03-10 12:58:20",
  questionId: 421997,
  answer: [4],
  comment: "",
  score: 4,
  matrixScore: null,
};

export const records = [
  record,
  { ...record, questionId: 421998, answer: [1, 2], score: null },
  { ...record, questionId: 421999, answer: [], score: 9 },
];

/** Metrics of operation 11, whose recommendation has these points. */
export const metrics = (points: number) => ({
  "31": {
    metricId: 31,
    surveyId: SURVEY_ID,
    metricName: "NPS",
    presentation: "points",
    maxValueIncludingEmptyAnswer: 10,
    testMode: 0,
    firstLevelThreshold: 6,
    secondLevelThreshold: 8,
    created: "2026-01-01 00:00:00",
    score: { pointsSum: points, maxPointsSum: 10, minPointsSum: 0, nps: true },
  },
  "32": {
    metricId: 32,
    surveyId: SURVEY_ID,
    metricName: "Effort",
    presentation: "percent",
    maxValueIncludingEmptyAnswer: 5,
    testMode: 0,
    firstLevelThreshold: null,
    secondLevelThreshold: null,
    created: "2026-01-01 00:00:00",
    score: { pointsSum: 3.5, maxPointsSum: 5, minPointsSum: 0, nps: false },
  },
});

const metadata = {
  ip: "203.0.113.77",
  referrer: "order-20417",
  iso3166: "PL",
  languageId: 5,
  languageName: "Polish",
  languageSymbol: "pl",
  deviceType: "desktop",
  deviceTypeName: "Desktop",
  os: "Linux",
  browser: "Firefox 150",
};

/** The facts of a response: of a promoter without a comment, but for `changes`. */
export function response(responseId: number, changes: Partial<EventFacts> = {}): EventFacts {
  const facts: EventFacts = {
    sourceName: SOURCE_NAME,
    surveyId: SURVEY_ID,
    responseId,
    survey,
    listedAt: noon - 10_000,
    definition,
    questions: "full",
    records,
    metrics: metrics(9),
    metadata: { responseId, ...metadata },
    missing: [],
    origin: "head",
    revision: 1,
    detectedAt: noon,
    timeZone: "Europe/Warsaw",
    ...changes,
  };
  return { ...facts, records: facts.records.map((read) => ({ responseId, ...(read as object) })) };
}
