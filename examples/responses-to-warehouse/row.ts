import type {
  Answer,
  BooksClosed,
  ResponseCompleted,
  ResponseDeleted,
  ResponseUpdated,
  SurveyChanged,
  SurveyCounted,
} from "survey-poller/events";

/** One event, as a row of the table. Columns that an event does not fill are null there. */
export interface Row extends Partial<ContentsColumns>, Partial<BooksColumns>, Partial<CountsColumns> {
  event_id: string;
  event_type: string;
  source_name: string;
  survey_id: number;
  detected_at: string;
  survey_name: string | null;
  survey_modified: string | null;
  survey_language_id: number | null;
  /** Whether the survey is listed; told by changes of surveys alone. */
  survey_listed?: boolean;
  response_id?: number;
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
  question_type: string | null;
  answer: number[];
  labels: (string | null)[] | null;
  comment: string;
  score: number | null;
}

interface BooksColumns {
  sequence: number;
  as_of: string;
  listed: number;
  event_count: number;
  event_id_sum: string;
  buckets: number[];
}

interface CountsColumns {
  sequence: number;
  as_of: string;
  impressions: number | null;
  opened: number | null;
  responses: number | null;
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
    ...rowOf(type, event, data.survey),
    response_id: data.responseId,
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
      question_type: question?.type ?? null,
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
  const { responseId, survey, observedAt } = event.data;
  return { ...rowOf(type, event, survey), response_id: responseId, deleted_at: observedAt };
}

export function rowOfBooks(type: string, event: BooksClosed): Row {
  const { asOf, counts, digest, eventIdSum, buckets, survey } = event.data;
  return {
    ...rowOf(type, event, survey),
    sequence: event.meta.sequence,
    as_of: asOf,
    listed: counts.listed,
    event_count: digest.count,
    event_id_sum: eventIdSum,
    buckets,
  };
}

export function rowOfSurvey(type: string, event: SurveyChanged): Row {
  const { before, after } = event.data;
  return { ...rowOf(type, event, after ?? before), survey_listed: after !== null };
}

export function rowOfCounts(type: string, event: SurveyCounted): Row {
  const { asOf, impressions, opened, responses, survey } = event.data;
  const { sequence } = event.meta;
  return { ...rowOf(type, event, survey), sequence, as_of: asOf, impressions, opened, responses };
}

function rowOf(
  type: string,
  { meta, data }: ResponseCompleted | ResponseUpdated | ResponseDeleted | BooksClosed | SurveyChanged | SurveyCounted,
  survey: SurveyChanged["data"]["after"],
): Row {
  return {
    event_id: meta.eventId,
    event_type: type,
    source_name: meta.sourceName,
    survey_id: data.surveyId,
    detected_at: meta.detectedAt,
    survey_name: survey?.name ?? null,
    survey_modified: survey?.modified ?? null,
    survey_language_id: survey?.languageId ?? null,
  };
}
