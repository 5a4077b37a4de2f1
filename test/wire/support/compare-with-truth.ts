import { isDeepStrictEqual } from "node:util";
import { eventId, responseCompleted } from "../../../lib/events/index.ts";
import type { ListedRecord, TruthResponse } from "../../../lib/local/simulator/index.ts";
import { surveyQuestions } from "../../../lib/local/simulator/survey-questions.ts";
import type { DeliveredEvent } from "../../support/command.ts";

export interface Comparison {
  /** Name of the source; default "main". */
  source?: string;
  /** Whether a time zone was configured, so that dates have their instant. Default false: none may be there. */
  instants?: boolean;
  /** Events over one for each response that are allowed; default 0. */
  repeats?: number;
  /** What the claim-check objects hold, by event id. */
  claimed?: ReadonlyMap<string, unknown[]>;
}

/** Enough to see what is wrong. */
const MOST_PROBLEMS = 10;

/**
 * Everything in which the events differ from the truth: every response exactly once, nothing else, contents equal. Of responses that are as the API
 * document has them: what is not, the tests of `lib/events` and the simulation hold.
 *
 * @example
 * expect(compareWithTruth(result.events, simulator.truth())).toEqual([]);
 */
export function compareWithTruth(
  events: readonly DeliveredEvent[],
  truth: readonly TruthResponse[],
  options: Comparison = {},
): string[] {
  const problems: string[] = [];
  const truths = new Map(truth.map((one) => [keyOf(one), one]));
  const seen = new Map<string, number>();
  for (const event of events) {
    const key = keyOf(event.detail.data);
    const one = truths.get(key);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (one === undefined) problems.push(`${key}: an event for what is no completed response, or is not to go out`);
    else problems.push(...compareEvent(event, one, options).map((problem) => `${key}: ${problem}`));
  }
  for (const key of truths.keys()) if (!seen.has(key)) problems.push(`${key}: no event`);
  const repeats = events.length - seen.size;
  if (repeats > (options.repeats ?? 0)) problems.push(`${repeats} repeats, ${options.repeats ?? 0} allowed`);
  if (problems.length <= MOST_PROBLEMS) return problems;
  return [...problems.slice(0, MOST_PROBLEMS), `and ${problems.length - MOST_PROBLEMS} more`];
}

function compareEvent(event: DeliveredEvent, truth: TruthResponse, options: Comparison): string[] {
  const parsed = responseCompleted.safeParse(event.detail);
  if (!parsed.success) return [`not as the contract says: ${parsed.error.message}`];
  const { meta, data } = event.detail;
  const claimed = options.claimed?.get(meta.eventId);
  // Undocumented fields may read differently each time.
  const answers = (claimed ?? data.answers).map((answer) => ({ ...(answer as object), extra: undefined }));
  const said: Record<string, unknown> = {
    ...{ type: event["detail-type"], from: event.source, time: event.time },
    ...meta,
    ...data,
    answers: asMultiset(answers),
    answersInEvent: data.answers.length,
    answersRef: data.answersRef === null,
  };
  const wanted: Record<string, unknown> = {
    ...{ type: "response.completed", from: "survey-poller", time: `${meta.detectedAt.slice(0, 19)}Z` },
    ...expected(truth, options),
    answers: asMultiset(expectedAnswers(truth)),
    answersInEvent: claimed === undefined ? truth.records.length : 0,
    answersRef: claimed === undefined,
  };
  return Object.keys(wanted).flatMap((name) =>
    isDeepStrictEqual(said[name], wanted[name]) ? [] : [`${name} is ${short(said[name])}, not ${short(wanted[name])}`],
  );
}

interface Metric {
  metricId: number;
  testMode: number;
  score: { nps: boolean; pointsSum: number; maxPointsSum: number };
}

/** What meta and data of an event have to hold, worked out from the API document and DESIGN alone, with none of lib's readers. */
function expected(truth: TruthResponse, { source = "main", instants = false }: Comparison): Record<string, unknown> {
  const { surveyId, responseId, records, startedAt, completedAt, survey } = truth;
  const [first = {}] = records;
  const comments = records.filter(({ comment }) => comment !== "").length;
  const metrics = expectedMetrics(truth.metrics);
  const metadata = expectedMetadata(truth.metadata);
  const missing = [
    ...(metadata === null ? ["metadata:absent"] : []),
    ...(metrics.length === 0 ? ["metrics:absent"] : []),
  ];
  // By what the clock of the service has shown, which may have been set between the two.
  const shown = (clockOf(first.dateCompleted) - clockOf(first.dateStart)) / 1000;
  const passed = Math.floor(completedAt / 1000) - Math.floor(startedAt / 1000);
  // The service gives whole seconds.
  const moment = (local: unknown, at: number): object =>
    instants ? { local, at: `${new Date(at).toISOString().slice(0, 19)}Z` } : { local };
  return {
    eventId: eventId(source, surveyId, responseId),
    ...{ sourceName: source, revision: 1, missing, complete: missing.length === 0, irregular: [] },
    survey,
    summary: {
      nps: expectedNps(metrics),
      scorePercent: expectedPercent(metrics),
      durationSeconds: instants && shown !== passed ? null : shown,
      comments,
      test: metrics.some(({ testMode }) => testMode === 1),
    },
    response: {
      ...{ country: first.iso3166, crk: first.crk, promoCode: first.promoCode },
      ...{ hasComment: comments > 0, answerCount: records.length },
      started: moment(first.dateStart, startedAt),
      completed: moment(first.dateCompleted, completedAt),
    },
    metrics,
    metadata,
  };
}

const clockOf = (date: unknown): number => Date.parse(`${String(date).replace(" ", "T")}Z`);

/** The simulator's answers count from 1, and its questions say so by their scores. */
function expectedAnswers(truth: TruthResponse): object[] {
  const questions = new Map(surveyQuestions(truth.questions).map((question) => [question.questionId, question]));
  return truth.records.map(({ questionId, answer, comment, score, matrixScore }: ListedRecord) => {
    const { number, text, answers = [] } = questions.get(Number(questionId)) ?? {};
    const labels = (answer as number[]).map((index) => answers[index - 1]);
    return { questionId, answer, comment, score, matrixScore, question: { number, type: "simple", text }, labels };
  });
}

function expectedMetrics(body: unknown): Metric[] {
  return ((body ?? []) as Record<string, Metric>[])
    .flatMap((map) => Object.entries(map).map(([key, metric]) => ({ key, ...metric })))
    .sort((a, b) => a.metricId - b.metricId);
}

/** By default the end of an IP address is cut. */
function expectedMetadata(body: unknown): object | null {
  const [read] = (body ?? []) as Record<string, unknown>[];
  if (read === undefined) return null;
  const ip = String(read.ip)
    .replace(/::\w+$/, "::")
    .replace(/\.\d+$/, ".0");
  return { ...read, ip };
}

/** The points of the metric that is marked as NPS. The simulator has one at most, on a scale from 0 to 10. */
function expectedNps(metrics: readonly Metric[]): object | null {
  const points = metrics.find(({ score }) => score.nps)?.score.pointsSum;
  if (points === undefined) return null;
  const names = ["detractor", "passive", "promoter"];
  return { score: points, class: names[Number(points > 6) + Number(points > 8)] };
}

/** Every metric of the simulator goes from 0 to as many points as any other. */
function expectedPercent(metrics: readonly Metric[]): number | null {
  if (metrics.length === 0) return null;
  const shares = metrics.map(({ score }) => score.pointsSum / score.maxPointsSum);
  return Math.round((shares.reduce((sum, share) => sum + share, 0) / shares.length) * 1_000) / 10;
}

/** Equal records are kept: only the order of the answers is free. */
function asMultiset(answers: readonly unknown[]): string[] {
  return answers.map(canonical).sort();
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const keyOf = ({ surveyId, responseId }: { surveyId: number; responseId: number }): string =>
  `response ${surveyId}/${responseId}`;

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
