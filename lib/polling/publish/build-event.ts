import { eventId, type Origin, type ResponseCompleted, SCHEMA_VERSION } from "../../events/index.ts";
import { readAnswer, readMetadata, readMetrics, readResponse, sortAnswers } from "./read-details.ts";

export interface EventFacts {
  sourceName: string;
  surveyId: number;
  responseId: number;
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
  const answers = facts.records.map(readAnswer);
  const metrics = readMetrics(facts.metrics);
  const metadata = readMetadata(facts.metadata);
  const irregular = [
    ...response.irregular,
    ...answers.flatMap((read) => read.irregular.map((name) => `answers.${read.value.questionId ?? "?"}.${name}`)),
    ...(metrics?.irregular ?? []),
    ...(metadata?.irregular ?? []),
  ];
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
      response: {
        ...response.value,
        hasComment: answers.some((read) => read.value.comment !== ""),
        answerCount: answers.length,
      },
      metrics: metrics?.value ?? [],
      metadata: metadata?.value ?? null,
      answers: sortAnswers(answers.map((read) => read.value)),
      answersRef: null,
    },
  };
}
