import { readFileSync } from "node:fs";
import type { RuleCase, Verdict } from "./oracle.ts";

/** A case whose verdict is known beforehand: what subscribers of our events may rely on. */
export interface GoldenCase extends RuleCase {
  expected: Verdict;
}

const event = JSON.parse(
  readFileSync(new URL("../../contract/golden/detractor.json", import.meta.url), "utf8"),
) as object;

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
    summary: { durationSeconds: [{ numeric: ["<", 900] }] },
  }),
  // The same by its metric: both conditions in one and the same metric.
  expecting("true", metric(true, "<=", 6)),
  expecting("false", metric(true, ">=", 3)),
  expecting("true", metric(false, ">=", 3)),
  expecting("true", metric(true, ">", 1, "<=", 2)),
  expecting("false", { metrics: { metricName: ["Effort"], score: { nps: [true] } } }),
  expecting("true", { metrics: { metricId: [32], score: { pointsSum: [3.5] } } }),
  // Fields of different arrays are independent of each other.
  expecting("true", { metrics: { metricId: [32] }, answers: { questionId: [421997] } }),
  expecting("true", { answers: { question: { text: ["How was it?"] }, labels: ["Very good"] } }),
  expecting("false", { answers: { questionId: [421998], labels: ["Very good"] } }),
  expecting("true", { answers: { questionId: [421997], answer: [4] } }),
  expecting("false", { answers: { questionId: [421998], answer: [4] } }),
  expecting("true", { answers: { comment: [{ "anything-but": "none" }], score: [{ exists: true }] } }),
  expecting("true", { surveyId: [{ "anything-but": [1, 2, 3] }] }),
  expecting("false", { surveyId: [{ "anything-but": 103 }] }),
  expecting("true", { surveyId: [1, 103] }),
  expecting("false", { surveyId: ["103"] }),
  expecting("true", { response: { country: [{ "equals-ignore-case": "pl" }], promoCode: [null] } }),
  expecting("false", { response: { country: [{ "anything-but": { prefix: ["P", "D"] } }] } }),
  expecting("true", { response: { hasComment: [false], answerCount: [{ numeric: [">=", 3] }] } }),
  expecting("true", { response: { completed: { local: [{ prefix: "2026-03-10 " }], at: [{ suffix: "Z" }] } } }),
  expecting("false", { response: { completed: { at: [{ exists: false }] } } }),
  expecting("true", { metadata: { ip: [{ cidr: "203.0.113.0/24" }] } }),
  expecting("false", { metadata: { ip: [{ cidr: "198.51.100.0/24" }] } }),
  expecting("true", { metadata: { ip: ["203.0.113.77"], referrer: ["order-20417"] } }),
  expecting("true", { metadata: { os: [{ wildcard: "Li*x" }] } }),
  expecting("false", { metadata: { os: [{ "anything-but": { suffix: ["ux", "OS"] } }] } }),
  expecting("true", { answersRef: [null] }),
  // A claim-checked event is told by a leaf of the reference: exists does not look at objects.
  expecting("false", { answersRef: { key: [{ exists: true }] } }),
  expecting("true", { answersRef: { key: [{ exists: false }] } }),
  expecting("true", { $or: [{ surveyId: [1] }, { responseId: [46375] }] }),
  expecting("false", { $or: [{ surveyId: [1] }, { responseId: [2] }] }),
  expecting("invalid", { $or: [{ surveyId: [1] }] }),
  expecting("invalid", { surveyId: 103 }),
  expecting("invalid", { surveyId: [{ between: [1, 2] }] }),
  expecting("invalid", { surveyId: [{ "anything-but": { prefix: [] } }] }),
  expecting("invalid", { response: {} }),
  meta("true", { complete: [true], revision: [1], origin: ["head", "rescan"] }),
  meta("false", { origin: [{ "anything-but": ["head", "replay"] }] }),
  meta("true", { missing: [{ exists: false }] }),
  meta("false", { missing: ["metrics:absent"] }),
  meta("invalid", { missing: [] }),
];
