import type { Answer, ResponseCompleted, ResponseDeleted, ResponseUpdated } from "survey-poller/events";

/** One event, as a row of the table. Columns that an event does not fill are null there. */
export interface Row extends Partial<ContentsColumns> {
  event_id: string;
  event_type: string;
  source_name: string;
  survey_id: number;
  response_id: number;
  detected_at: string;
  survey_name: string | null;
  deleted_at?: string;
}

interface ContentsColumns {
  revision: number;
  completed_local: string | null;
  completed_at: string | null;
  country: string | null;
  crk: string | null;
  nps_score: number | null;
  nps_class: string | null;
  score_percent: number | null;
  duration_seconds: number | null;
  comments: number;
  test: boolean | null;
  answers: AnswerColumn[];
  /** JSON texts, for fields that the table has no column of. */
  metrics: string;
  metadata: string;
}

interface AnswerColumn {
  question_id: number | null;
  question: string | null;
  answer: number[];
  labels: (string | null)[] | null;
  comment: string;
  score: number | null;
}

/** @param answers those of the event, or those that its claim check points to */
export function rowOfContents(
  type: string,
  event: ResponseCompleted | ResponseUpdated,
  answers: readonly Answer[],
): Row {
  const { meta, data } = event;
  const { response, summary } = data;
  return {
    ...rowOf(type, event),
    revision: meta.revision,
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

export function rowOfDeletion(type: string, event: ResponseDeleted): Row {
  return { ...rowOf(type, event), deleted_at: event.data.observedAt };
}

function rowOf(type: string, { meta, data }: ResponseCompleted | ResponseUpdated | ResponseDeleted): Row {
  return {
    event_id: meta.eventId,
    event_type: type,
    source_name: meta.sourceName,
    survey_id: data.surveyId,
    response_id: data.responseId,
    detected_at: meta.detectedAt,
    survey_name: data.survey?.name ?? null,
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
