import { SCHEMA_VERSION } from "../contract.ts";
import { eventId } from "../event-id.ts";
import type { Origin, ResponseCompleted, SurveyFacts } from "../response-completed.ts";
import { summaryOf } from "./figures.ts";
import { readAnswer, readMetadata, readMetrics, readResponse, sortAnswers } from "./read-details.ts";

export interface EventFacts {
  sourceName: string;
  surveyId: number;
  responseId: number;
  /** What the survey list said of the survey; undefined where it could not be read. */
  survey: SurveyFacts | undefined;
  /** All its records, as they were read. */
  records: unknown[];
  /** What operations 11 and 13 gave, as the port has it; undefined when there is none. */
  metrics: unknown;
  metadata: unknown;
  missing: string[];
  origin: Origin;
  /** Above 1 for the repair of an event that was short. */
  revision: number;
  /** Epoch milliseconds. */
  detectedAt: number;
  timeZone: string | undefined;
}

/** The event of a response: pure, and the same for the same facts whichever way the pages were read. */
export function buildEvent(facts: EventFacts): ResponseCompleted {
  const { sourceName, surveyId, responseId, revision } = facts;
  const response = readResponse(facts.records, facts.timeZone);
  const read = facts.records.map(readAnswer);
  const answers = sortAnswers(read.map(({ value }) => value));
  const metrics = readMetrics(facts.metrics);
  const metadata = readMetadata(facts.metadata);
  const irregular = [
    ...response.irregular,
    ...read.flatMap(({ value, irregular }) => irregular.map((name) => `answers.${value.questionId ?? "?"}.${name}`)),
    ...(metrics?.irregular ?? []),
    ...(metadata?.irregular ?? []),
  ];
  const summary = summaryOf({ metrics: metrics?.value ?? [], answers, ...response.value });
  return {
    meta: {
      eventId: eventId(sourceName, surveyId, responseId, revision),
      schemaVersion: SCHEMA_VERSION,
      sourceName,
      detectedAt: new Date(facts.detectedAt).toISOString(),
      origin: facts.origin,
      revision,
      ...(revision > 1 ? { replaces: eventId(sourceName, surveyId, responseId, revision - 1) } : {}),
      complete: facts.missing.length === 0,
      missing: [...facts.missing].sort(),
      irregular: [...new Set(irregular)].sort(),
    },
    data: {
      surveyId,
      responseId,
      survey: facts.survey ?? null,
      summary,
      response: { ...response.value, hasComment: summary.comments > 0, answerCount: answers.length },
      metrics: metrics?.value ?? [],
      metadata: metadata?.value ?? null,
      answers,
      answersRef: null,
    },
  };
}
