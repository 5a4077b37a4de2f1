import type { ListedRecord, TruthResponse } from "../../../lib/local/simulator/index.ts";
import { type SimulatedQuestion, surveyQuestions } from "../../../lib/local/simulator/survey-questions.ts";

/** What an event has to hold of a response, worked out from the API document and DESIGN alone, with none of lib's readers. */
export interface ExpectedDetail {
  country: unknown;
  crk: unknown;
  promoCode: unknown;
  hasComment: boolean;
  answerCount: number;
  startedLocal: string | null;
  completedLocal: string | null;
  /** Irregular fields of the response as they were read. */
  raw: Record<string, unknown>;
  answers: Record<string, unknown>[];
  metrics: Record<string, unknown>[];
  metadata: unknown;
  summary: {
    nps: unknown;
    scorePercent: number | null;
    durationSeconds: number | null;
    comments: number;
    test: boolean;
  };
  missing: string[];
  irregular: string[];
}

const isInteger = (value: unknown): boolean => Number.isInteger(value);

/** Fields of one answer: what section 2.4 accepts, and the empty value that stands in for anything else. */
const answerFields: Record<string, { accepts: (value: unknown) => boolean; empty: unknown }> = {
  questionId: { accepts: isInteger, empty: null },
  answer: { accepts: (value) => Array.isArray(value) && value.every(isInteger), empty: [] },
  comment: { accepts: (value) => typeof value === "string", empty: "" },
  score: { accepts: (value) => value === null || isInteger(value), empty: null },
  matrixScore: { accepts: () => true, empty: null },
};

/** @param instants whether a time zone was configured */
export function expectedDetail(
  truth: TruthResponse,
  { instants = false }: { instants?: boolean } = {},
): ExpectedDetail {
  const first = truth.records[0] ?? {};
  const questions = new Map(surveyQuestions(truth.questions).map((question) => [question.questionId, question]));
  const answers = truth.records.map((record) => withWords(expectedAnswer(record), questions));
  const raw: Record<string, unknown> = {};
  for (const name of ["dateStart", "dateCompleted"]) {
    if (typeof first[name] !== "string" && first[name] !== null) raw[name] = first[name];
  }
  const metrics = expectedMetrics(truth.metrics);
  const { metadata, isAnonymous } = expectedMetadata(truth.metadata);
  return {
    country: first.iso3166,
    crk: first.crk,
    promoCode: first.promoCode,
    hasComment: answers.some(({ value }) => value.comment !== ""),
    answerCount: truth.records.length,
    startedLocal: text(first.dateStart),
    completedLocal: text(first.dateCompleted),
    raw,
    answers: answers.map(({ value }) => value),
    metrics,
    metadata,
    summary: {
      nps: expectedNps(metrics),
      scorePercent: expectedPercent(metrics),
      durationSeconds: instants && isClockSet(truth) ? null : expectedSeconds(truth),
      comments: answers.filter(({ value }) => value.comment !== "").length,
      test: metrics.some(({ testMode }) => testMode === 1),
    },
    missing: [...(metadata === null ? ["metadata:absent"] : []), ...(metrics.length === 0 ? ["metrics:absent"] : [])],
    irregular: [
      ...new Set([
        ...Object.keys(raw),
        ...answers.flatMap(({ irregular }) => irregular),
        ...(isListOfMetrics(truth.metrics) ? ["metrics"] : []),
        ...(isAnonymous ? ["metadata.responseId"] : []),
      ]),
    ].sort(),
  };
}

function expectedAnswer(record: ListedRecord): { value: Record<string, unknown>; irregular: string[] } {
  const value: Record<string, unknown> = {};
  const raw: Record<string, unknown> = {};
  const bad: string[] = [];
  for (const [name, { accepts, empty }] of Object.entries(answerFields)) {
    const read = record[name];
    value[name] = accepts(read) ? read : empty;
    if (accepts(read)) continue;
    bad.push(name);
    if (read !== undefined) raw[name] = read;
  }
  // A quoted number is no less an identifier: without it nobody could tell which question was answered.
  if (typeof record.questionId === "string" && /^\d+$/.test(record.questionId))
    value.questionId = Number(record.questionId);
  if (Object.keys(raw).length > 0) value.raw = raw;
  return { value, irregular: bad.map((name) => `answers.${value.questionId}.${name}`) };
}

/** The simulator's answers count from 1, and its questions say so by their scores. */
function withWords(
  { value, irregular }: { value: Record<string, unknown>; irregular: string[] },
  questions: ReadonlyMap<unknown, SimulatedQuestion>,
): { value: Record<string, unknown>; irregular: string[] } {
  const named = (name: string): string => `answers.${value.questionId}.${name}`;
  const question = questions.get(value.questionId);
  if (question === undefined)
    return { value: { ...value, question: null, labels: null }, irregular: [...irregular, named("question")] };
  const { number, text } = question;
  const words = { question: { number, type: "simple", text }, labels: null };
  if (irregular.includes(named("answer"))) return { value: { ...value, ...words }, irregular };
  const labels = (value.answer as number[]).map((index) => question.answers[index - 1]);
  if (labels.includes(undefined)) return { value: { ...value, ...words }, irregular: [...irregular, named("labels")] };
  return { value: { ...value, ...words, labels }, irregular };
}

function expectedMetrics(body: unknown): Record<string, unknown>[] {
  const maps = Array.isArray(body) ? (body as Record<string, Record<string, unknown>>[]) : [];
  return maps
    .flatMap((map) => Object.entries(map).map(([key, metric]) => ({ key, ...metric }) as Record<string, unknown>))
    .sort((a, b) => Number(a.metricId) - Number(b.metricId));
}

/** Where it does not say whose it is, that field is empty, and marked. By default the end of an IP address is cut. */
function expectedMetadata(body: unknown): { metadata: unknown; isAnonymous: boolean } {
  const [read = null] = Array.isArray(body) ? (body as Record<string, unknown>[]) : [];
  const metadata: Record<string, unknown> | null = read && {
    ...read,
    ip: String(read.ip)
      .replace(/::\w+$/, "::")
      .replace(/\.\d+$/, ".0"),
  };
  if (metadata === null || metadata.responseId !== undefined) return { metadata, isAnonymous: false };
  return { metadata: { responseId: null, ...metadata }, isAnonymous: true };
}

/** A list in the place of a map by key; an empty one is how some languages write a map without anything. */
function isListOfMetrics(body: unknown): boolean {
  return Array.isArray(body) && body.some((map) => Array.isArray(map) && map.length > 0);
}

/** The points of the metric that is marked as NPS. The simulator has one at most, on a scale from 0 to 10. */
function expectedNps(metrics: Record<string, unknown>[]): unknown {
  const scores = metrics.map(({ score }) => score as Score);
  const points = scores.find(({ nps }) => nps)?.pointsSum;
  if (points === undefined) return null;
  const names = ["detractor", "passive", "promoter"];
  return { score: points, class: names[Number(points > 6) + Number(points > 8)] };
}

/** Every metric of the simulator goes from 0 to as many points as any other. */
function expectedPercent(metrics: Record<string, unknown>[]): number | null {
  if (metrics.length === 0) return null;
  const shares = metrics.map(({ score }) => (score as Score).pointsSum / (score as Score).maxPointsSum);
  return Math.round((shares.reduce((sum, share) => sum + share, 0) / shares.length) * 1_000) / 10;
}

/** By what the clock of the service has shown. */
function expectedSeconds({ records: [first] }: TruthResponse): number | null {
  const [started, completed] = [text(first?.dateStart), text(first?.dateCompleted)];
  if (started === null || completed === null) return null;
  return (Date.parse(`${completed.replace(" ", "T")}Z`) - Date.parse(`${started.replace(" ", "T")}Z`)) / 1000;
}

/** Whether that clock was set between the two. */
function isClockSet(truth: TruthResponse): boolean {
  const passed = Math.floor(truth.completedAt / 1000) - Math.floor(truth.startedAt / 1000);
  const shown = expectedSeconds(truth);
  return shown !== null && shown !== passed;
}

interface Score {
  nps: boolean;
  pointsSum: number;
  maxPointsSum: number;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
