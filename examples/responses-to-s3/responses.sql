CREATE OR REPLACE VIEW responses AS
SELECT latest.*
FROM (
  SELECT
    response_events.*,
    row_number() OVER (
      PARTITION BY source_name, survey_id, response_id
      ORDER BY revision DESC, detected_at DESC
    ) AS place
  FROM response_events
  WHERE event_type <> 'response.deleted'
) AS latest
LEFT JOIN (
  SELECT source_name, survey_id, response_id, max(deleted_at) AS deleted_at
  FROM response_events
  WHERE event_type = 'response.deleted'
  GROUP BY source_name, survey_id, response_id
) AS gone
  ON gone.source_name = latest.source_name
  AND gone.survey_id = latest.survey_id
  AND gone.response_id = latest.response_id
WHERE latest.place = 1
  -- A response that is listed again after its deletion has a later event.
  AND (gone.deleted_at IS NULL OR gone.deleted_at < latest.detected_at)
