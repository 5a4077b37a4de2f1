import type { RuleCase, Verdict } from "./oracle.ts";

/** A case whose verdict is known beforehand: what subscribers of our events may rely on. */
export interface GoldenCase extends RuleCase {
  expected: Verdict;
}

function score(pointsSum: number, nps: boolean) {
  return { pointsSum, maxPointsSum: 10, minPointsSum: 0, nps };
}

const event = {
  version: "0",
  id: "0d4f5e0a-52b7-4f3c-9b1e-6a3f1f7c2a10",
  "detail-type": "response.completed",
  source: "survey-poller",
  account: "000000000000",
  time: "2026-11-21T10:00:00Z",
  region: "us-east-1",
  resources: [],
  detail: {
    meta: {
      eventId: "5b6c0f3e-7a9d-5c11-8f3e-1d2c3b4a5f60",
      schemaVersion: "1",
      sourceName: "main",
      detectedAt: "2026-11-21T10:00:00.000Z",
      origin: "head",
      revision: 1,
      complete: true,
      missing: [],
      irregular: [],
    },
    data: {
      surveyId: 31415,
      responseId: 271828,
      survey: { name: "After a visit", modified: "2026-11-01 08:00:00", languageId: 23 },
      summary: {
        nps: { score: 5, class: "detractor" },
        scorePercent: 70,
        durationSeconds: 599,
        comments: 1,
        test: false,
      },
      response: {
        country: "PL",
        crk: null,
        promoCode: null,
        hasComment: true,
        answerCount: 5,
        started: { local: "2026-11-21 10:50:00", at: "2026-11-21T09:50:00Z" },
        completed: { local: "2026-11-21 10:59:59", at: "2026-11-21T09:59:59Z" },
      },
      metrics: [
        { key: "31", metricId: 31, metricName: "Recommendation", presentation: "points", score: score(5, true) },
        { key: "32", metricId: 32, metricName: "Effort", presentation: "percent", score: score(9, false) },
      ],
      metadata: { ip: "203.0.113.77", referrer: null, languageSymbol: "pl", deviceType: "desktop", os: "Linux" },
      answers: [
        {
          questionId: 7,
          answer: [3],
          comment: "",
          score: null,
          matrixScore: null,
          question: { number: 1, type: "simple", text: "How was it?" },
          labels: ["Good"],
        },
        {
          questionId: 8,
          answer: ["free text"],
          comment: "late",
          score: 2,
          matrixScore: null,
          question: null,
          labels: null,
        },
      ],
      labelsMayDiffer: false,
      answersRef: null,
    },
  },
};

function expecting(expected: Verdict, data: unknown): GoldenCase {
  return { pattern: { source: ["survey-poller"], detail: { data } }, event, expected };
}

function meta(expected: Verdict, pattern: unknown): GoldenCase {
  return { pattern: { "detail-type": ["response.completed"], detail: { meta: pattern } }, event, expected };
}

const metric = (nps: boolean, ...pointsSum: unknown[]) => ({
  metrics: { score: { nps: [nps], pointsSum: [{ numeric: pointsSum }] } },
});

export const goldenCases: readonly GoldenCase[] = [
  // A detractor, by the summary.
  expecting("true", { summary: { nps: { class: ["detractor"] }, test: [false] } }),
  expecting("false", { summary: { nps: { class: ["detractor"] }, test: [true] } }),
  expecting("false", { summary: { nps: { class: ["promoter", "passive"] } } }),
  expecting("true", {
    survey: { name: [{ prefix: "After" }] },
    summary: { durationSeconds: [{ numeric: ["<", 600] }] },
  }),
  // The same by its metric: both conditions in one and the same metric.
  expecting("true", metric(true, "<=", 6)),
  expecting("false", metric(true, ">=", 9)),
  expecting("true", metric(false, ">=", 9)),
  expecting("true", metric(true, ">", 4, "<=", 5)),
  expecting("false", { metrics: { metricName: ["Effort"], score: { nps: [true] } } }),
  expecting("true", { metrics: { metricId: [32], score: { pointsSum: [9] } } }),
  // Fields of different arrays are independent of each other.
  expecting("true", { metrics: { metricId: [32] }, answers: { questionId: [7] } }),
  expecting("true", { answers: { question: { text: ["How was it?"] }, labels: ["Good"] } }),
  expecting("false", { answers: { questionId: [8], labels: ["Good"] } }),
  expecting("true", { answers: { questionId: [7], answer: [3] } }),
  expecting("false", { answers: { questionId: [8], answer: [3] } }),
  expecting("true", { answers: { comment: [{ "anything-but": "" }], score: [{ exists: true }] } }),
  expecting("true", { surveyId: [{ "anything-but": [1, 2, 3] }] }),
  expecting("false", { surveyId: [{ "anything-but": 31415 }] }),
  expecting("true", { surveyId: [1, 31415] }),
  expecting("false", { surveyId: ["31415"] }),
  expecting("true", { response: { country: [{ "equals-ignore-case": "pl" }], crk: [null] } }),
  expecting("false", { response: { country: [{ "anything-but": { prefix: ["P", "D"] } }] } }),
  expecting("true", { response: { hasComment: [true], answerCount: [{ numeric: [">=", 5] }] } }),
  expecting("true", { response: { completed: { local: [{ prefix: "2026-11-21 " }], at: [{ suffix: "Z" }] } } }),
  expecting("false", { response: { completed: { at: [{ exists: false }] } } }),
  expecting("true", { metadata: { ip: [{ cidr: "203.0.113.0/24" }] } }),
  expecting("false", { metadata: { ip: [{ cidr: "198.51.100.0/24" }] } }),
  expecting("true", { metadata: { ip: ["203.0.113.77"], referrer: [null] } }),
  expecting("true", { metadata: { os: [{ wildcard: "Li*x" }] } }),
  expecting("false", { metadata: { os: [{ "anything-but": { suffix: ["ux", "OS"] } }] } }),
  expecting("true", { answersRef: [null] }),
  // A claim-checked event is told by a leaf of the reference: exists does not look at objects.
  expecting("false", { answersRef: { key: [{ exists: true }] } }),
  expecting("true", { answersRef: { key: [{ exists: false }] } }),
  expecting("true", { $or: [{ surveyId: [1] }, { responseId: [271828] }] }),
  expecting("false", { $or: [{ surveyId: [1] }, { responseId: [2] }] }),
  expecting("invalid", { $or: [{ surveyId: [1] }] }),
  expecting("invalid", { surveyId: 31415 }),
  expecting("invalid", { surveyId: [{ between: [1, 2] }] }),
  expecting("invalid", { surveyId: [{ "anything-but": { prefix: [] } }] }),
  expecting("invalid", { response: {} }),
  meta("true", { complete: [true], revision: [1], origin: ["head", "patrol"] }),
  meta("false", { origin: [{ "anything-but": ["head", "replay"] }] }),
  meta("true", { missing: [{ exists: false }] }),
  meta("false", { missing: ["metrics:absent"] }),
  meta("invalid", { missing: [] }),
];
