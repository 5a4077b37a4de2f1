{#
  Fails with the number of responses that are missing, and says of which surveys.

  survey_events: the model with all events. `books`: the one with the events of closed books.
#}
{% test complete(model, books) %}
{{ config(fail_calc = 'coalesce(sum(missing), 0)') }}
{% set incomplete = survey_poller.incomplete(model, books) %}
{% if execute %}
  {% for survey in run_query(incomplete).rows %}
    {{ log('survey ' ~ survey[1] ~ ' of ' ~ survey[0] ~ ': ' ~ survey[5] ~ ' missing', info = true) }}
  {% endfor %}
{% endif %}
{{ incomplete }}
{% endtest %}

{% macro incomplete(survey_events, books) %}
SELECT * FROM (
  WITH last_books AS (
    SELECT *
    FROM (
      SELECT books.*, row_number() OVER (PARTITION BY source_name, survey_id ORDER BY sequence DESC) AS place
      FROM {{ books }} AS books
    ) AS numbered
    WHERE place = 1
  ),
  -- Each event once, as it was made first.
  contents AS (
    SELECT source_name, survey_id, response_id, revision, event_id, min(detected_at) AS detected_at
    FROM {{ survey_events }} AS survey_events
    WHERE event_type IN ('response.completed', 'response.updated')
    GROUP BY source_name, survey_id, response_id, revision, event_id
  ),
  -- What the books count: of each response the latest event by the time they closed.
  counted AS (
    SELECT
      contents.*,
      row_number() OVER (
        PARTITION BY contents.source_name, contents.survey_id, contents.response_id
        ORDER BY contents.revision DESC
      ) AS place
    FROM contents
    JOIN last_books
      ON last_books.source_name = contents.source_name
      AND last_books.survey_id = contents.survey_id
      AND last_books.detected_at >= contents.detected_at
  ),
  sums AS (
    SELECT source_name, survey_id, count(*) AS present, sum({{ survey_poller.first_32_bits('event_id') }}) AS event_id_sum
    FROM counted
    WHERE place = 1
    GROUP BY source_name, survey_id
  )
  SELECT
    last_books.source_name,
    last_books.survey_id,
    last_books.sequence AS books,
    last_books.event_count AS expected,
    coalesce(sums.present, 0) AS present,
    CASE
      WHEN coalesce(sums.present, 0) < last_books.event_count THEN last_books.event_count - coalesce(sums.present, 0)
      WHEN coalesce(sums.event_id_sum, 0) = CAST(last_books.event_id_sum AS BIGINT) THEN 0
      -- As many, but an older event stands for a later one.
      ELSE 1
    END AS missing
  FROM last_books
  LEFT JOIN sums
    ON sums.source_name = last_books.source_name
    AND sums.survey_id = last_books.survey_id
  ORDER BY last_books.source_name, last_books.survey_id
) AS verdicts
WHERE missing > 0
{% endmacro %}
