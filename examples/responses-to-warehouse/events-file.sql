CREATE VIEW lines AS
SELECT "detail-type" AS event_type, detail
FROM read_json('events.jsonl', format = 'newline_delimited', columns = {'detail-type': 'VARCHAR', detail: 'JSON'})
WHERE coalesce(detail->>'$.meta.test', 'false') <> 'true';

CREATE VIEW survey_events AS
SELECT
  event_type,
  detail->>'$.meta.eventId' AS event_id,
  detail->>'$.meta.sourceName' AS source_name,
  CAST(detail->>'$.data.surveyId' AS BIGINT) AS survey_id,
  CAST(detail->>'$.data.responseId' AS BIGINT) AS response_id,
  CAST(detail->>'$.meta.revision' AS BIGINT) AS revision,
  detail->>'$.meta.detectedAt' AS detected_at
FROM lines;

CREATE VIEW books AS
SELECT
  detail->>'$.meta.sourceName' AS source_name,
  CAST(detail->>'$.data.surveyId' AS BIGINT) AS survey_id,
  CAST(detail->>'$.meta.sequence' AS BIGINT) AS sequence,
  detail->>'$.meta.detectedAt' AS detected_at,
  CAST(detail->>'$.data.digest.count' AS BIGINT) AS event_count,
  detail->>'$.data.eventIdSum' AS event_id_sum
FROM lines
WHERE event_type = 'books.closed';
