-- The files that Firehose has written: aws s3 sync s3://<BucketName>/events events
CREATE OR REPLACE VIEW survey_events AS
SELECT * FROM read_parquet('events/**/*.parquet', hive_partitioning = true, union_by_name = true);

-- Each response as it is now.
CREATE OR REPLACE VIEW responses AS
SELECT
  latest.source_name,
  latest.survey_id,
  latest.response_id,
  latest.event_id,
  latest.revision,
  latest.detected_at,
  latest.survey_name,
  latest.completed_local,
  latest.completed_at,
  latest.country,
  latest.crk,
  latest.nps_score,
  latest.nps_class,
  latest.score_percent,
  latest.duration_seconds,
  latest.comments,
  latest.test,
  latest.answers,
  latest.metrics,
  latest.metadata
FROM (
  SELECT
    survey_events.*,
    row_number() OVER (
      PARTITION BY source_name, survey_id, response_id
      ORDER BY revision DESC, detected_at DESC
    ) AS place
  FROM survey_events
  WHERE event_type IN ('response.completed', 'response.updated')
) AS latest
LEFT JOIN (
  SELECT source_name, survey_id, response_id, max(deleted_at) AS deleted_at
  FROM survey_events
  WHERE event_type = 'response.deleted'
  GROUP BY source_name, survey_id, response_id
) AS gone
  ON gone.source_name = latest.source_name
  AND gone.survey_id = latest.survey_id
  AND gone.response_id = latest.response_id
WHERE latest.place = 1
  -- A response that is listed again after its deletion has a later event.
  AND (gone.deleted_at IS NULL OR gone.deleted_at < latest.detected_at);

-- The answers of these responses, one a row. Where several were chosen their labels stand together.
CREATE OR REPLACE VIEW answers AS
SELECT
  source_name,
  survey_id,
  response_id,
  survey_name,
  completed_local,
  place,
  given.question_id,
  given.question,
  given.question_type,
  given.answer,
  given.labels,
  array_to_string(given.labels, '; ') AS label,
  given.comment,
  given.score
FROM (
  SELECT *, unnest(answers) AS given, generate_subscripts(answers, 1) AS place
  FROM responses
) AS one;

-- Each survey as its last event shows it.
CREATE OR REPLACE VIEW surveys AS
SELECT
  latest.source_name,
  latest.survey_id,
  latest.survey_name,
  latest.survey_modified,
  latest.survey_language_id,
  coalesce(counted.responses, 0) AS responses,
  counted.last_completed_local
FROM (
  SELECT
    survey_events.*,
    row_number() OVER (PARTITION BY source_name, survey_id ORDER BY detected_at DESC, event_id) AS place
  FROM survey_events
  WHERE survey_name IS NOT NULL
) AS latest
LEFT JOIN (
  SELECT source_name, survey_id, count(*) AS responses, max(completed_local) AS last_completed_local
  FROM responses
  GROUP BY source_name, survey_id
) AS counted
  ON counted.source_name = latest.source_name
  AND counted.survey_id = latest.survey_id
WHERE latest.place = 1
  AND coalesce(latest.survey_listed, true);

-- What the poller has proved of each survey, and when.
CREATE OR REPLACE VIEW books AS
SELECT
  source_name,
  survey_id,
  sequence,
  min(detected_at) AS detected_at,
  min(as_of) AS as_of,
  min(listed) AS listed,
  min(event_count) AS event_count,
  min(event_id_sum) AS event_id_sum,
  min(buckets) AS buckets
FROM survey_events
WHERE event_type = 'books.closed'
GROUP BY source_name, survey_id, sequence;
