import { type Change, SCHEMA_VERSION } from "../contract.ts";
import { eventId } from "../event-id.ts";
import type { Origin, ResponseCompleted, SurveyFacts } from "../response-completed.ts";
import type { ResponseUpdated } from "../response-updated.ts";
import type { SurveyDefinition } from "./definition.ts";
import { readExtra } from "./extra.ts";
import { summaryOf, type Thresholds } from "./figures.ts";
import { readAnswer, readMetadata, readMetrics, readResponse, sortAnswers } from "./read-details.ts";
import { mayDiffer, type QuestionsMode, withWords } from "./words.ts";

export interface EventFacts {
  sourceName: string;
  surveyId: number;
  responseId: number;
  /** The survey as the survey list showed it; undefined where that could not be read. */
  survey: SurveyFacts | undefined;
  /** When that was (epoch milliseconds); undefined: never. */
  listedAt: number | undefined;
  /** The definition of its questions; undefined where it was not asked for, or could not be had. */
  definition: SurveyDefinition | undefined;
  questions: QuestionsMode;
  /** All its records, as they were read. */
  records: unknown[];
  /** The answers of operations 11 and 13, as the port has them; undefined when there is none. */
  metrics: unknown;
  metadata: unknown;
  missing: string[];
  origin: Origin;
  /** Above 1 for an event that replaces another one. */
  revision: number;
  /** Epoch milliseconds. */
  detectedAt: number;
  timeZone: string | undefined;
  /** Of metrics, by their names. */
  thresholds: Thresholds;
}

/** The event of a response: pure, and the same for the same facts whichever way the pages were read. */
export function buildEvent(facts: EventFacts): ResponseCompleted {
  const { sourceName, surveyId, responseId, revision, definition, questions } = facts;
  const response = readResponse(facts.records, facts.timeZone);
  const extra = readExtra(facts.records);
  const bare = sortAnswers(facts.records.map((record, i) => readAnswer(record, extra.answers[i])));
  const read = bare.map((answer) => withWords(answer, definition, questions));
  const answers = read.map(({ value }) => value);
  const metrics = readMetrics(facts.metrics);
  const metadata = readMetadata(facts.metadata);
  const irregular = [
    ...response.irregular,
    ...(extra.isCut ? ["extra"] : []),
    ...read.flatMap(({ irregular }) => irregular),
    ...(metrics?.irregular ?? []),
    ...(metadata?.irregular ?? []),
  ];
  const summary = summaryOf({
    metrics: metrics?.value ?? [],
    answers,
    thresholds: facts.thresholds,
    ...response.value,
  });
  const { modified } = facts.survey ?? {};
  return {
    meta: {
      eventId: eventId(sourceName, surveyId, responseId, revision),
      schemaVersion: SCHEMA_VERSION,
      sourceName,
      detectedAt: new Date(facts.detectedAt).toISOString(),
      origin: facts.origin,
      revision,
      complete: facts.missing.length === 0,
      missing: [...facts.missing].sort(),
      irregular: [...new Set(irregular)].sort(),
    },
    data: {
      surveyId,
      responseId,
      survey: facts.survey ?? null,
      summary,
      response: {
        ...response.value,
        ...(extra.response !== undefined && { extra: extra.response }),
        hasComment: summary.comments > 0,
        answerCount: answers.length,
      },
      metrics: metrics?.value ?? [],
      metadata: metadata?.value ?? null,
      answers,
      labelsMayDiffer: definition !== undefined && mayDiffer(definition, { ...facts, ...response.value, modified }),
      answersRef: null,
    },
  };
}

/** The update that takes the place of the event of this id. `observedAt` is in epoch milliseconds. */
export function toUpdate(
  { meta, data }: ResponseCompleted,
  { replaces, changes, observedAt }: { replaces: string; changes: Change[]; observedAt: number },
): ResponseUpdated {
  return {
    meta: { ...meta, replaces, changed: changes },
    data: { ...data, observedAt: new Date(observedAt).toISOString() },
  };
}
