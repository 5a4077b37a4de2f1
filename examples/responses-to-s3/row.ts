import type { Answer, ResponseCompleted, ResponseDeleted, ResponseUpdated } from "survey-poller/events";

/** One event, as a row of the table. Fields that a deletion does not have are null. */
export interface Row {
  event_id: string;
  event_type: string;
  source_name: string;
  survey_id: number;
  response_id: number;
  revision: number | null;
  detected_at: string;
  deleted_at: string | null;
  survey_name: string | null;
  completed_local: string | null;
  completed_at: string | null;
  country: string | null;
  crk: string | null;
  nps_score: number | null;
  nps_class: string | null;
  score_percent: number | null;
  duration_seconds: number | null;
  comments: number | null;
  test: boolean | null;
  answers: AnswerColumn[] | null;
  /** JSON texts, for fields that the table has no column of. */
  metrics: string | null;
  metadata: string | null;
}

interface AnswerColumn {
  question_id: number | null;
  question: string | null;
  answer: number[];
  labels: (string | null)[] | null;
  comment: string;
  score: number | null;
}

type Contents = ResponseCompleted | ResponseUpdated;

/** @param answers those of the event, or those that its claim check points to */
export function rowOfContents(type: string, { meta, data }: Contents, answers: readonly Answer[]): Row {
  const { response, summary } = data;
  return {
    event_id: meta.eventId,
    event_type: type,
    source_name: meta.sourceName,
    survey_id: data.surveyId,
    response_id: data.responseId,
    revision: meta.revision,
    detected_at: meta.detectedAt,
    deleted_at: null,
    survey_name: data.survey?.name ?? null,
    completed_local: response.completed.local,
    completed_at: response.completed.at ?? null,
    country: response.country,
    crk: response.crk,
    nps_score: summary.nps?.score ?? null,
    nps_class: summary.nps?.class ?? null,
    score_percent: summary.scorePercent,
    duration_seconds: summary.durationSeconds,
    comments: summary.comments,
    test: summary.test,
    answers: answers.map(({ questionId, question, answer, labels, comment, score }) => ({
      question_id: questionId,
      question: question?.text ?? null,
      answer,
      labels,
      comment,
      score,
    })),
    metrics: JSON.stringify(data.metrics),
    metadata: JSON.stringify(data.metadata),
  };
}

export function rowOfDeletion(type: string, { meta, data }: ResponseDeleted): Row {
  return {
    event_id: meta.eventId,
    event_type: type,
    source_name: meta.sourceName,
    survey_id: data.surveyId,
    response_id: data.responseId,
    revision: null,
    detected_at: meta.detectedAt,
    deleted_at: data.observedAt,
    survey_name: data.survey?.name ?? null,
    completed_local: null,
    completed_at: null,
    country: null,
    crk: null,
    nps_score: null,
    nps_class: null,
    score_percent: null,
    duration_seconds: null,
    comments: null,
    test: null,
    answers: null,
    metrics: null,
    metadata: null,
  };
}

/**
 * Where a row lies. A repeat of a delivery has the same key, so it changes nothing. A repeat that the poller has made anew has another
 * `detectedAt`, and the view takes the later one.
 */
export function keyOf({ survey_id, response_id, detected_at, event_id }: Row): string {
  const made = detected_at.replaceAll(/[-:.]/g, "");
  return `day=${detected_at.slice(0, 10)}/survey=${survey_id}/${survey_id}-${response_id}-${made}-${event_id}.json`;
}
