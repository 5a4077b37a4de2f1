{# The first 32 bits of an id as a number. #}
{% macro first_32_bits(id) %}{{ return(adapter.dispatch('first_32_bits', 'survey_poller')(id)) }}{% endmacro %}

{% macro default__first_32_bits(id) %}from_base(substr({{ id }}, 1, 8), 16){% endmacro %}
{% macro duckdb__first_32_bits(id) %}CAST('0x' || substr({{ id }}, 1, 8) AS BIGINT){% endmacro %}
{% macro postgres__first_32_bits(id) %}CAST(CAST('x' || substr({{ id }}, 1, 8) AS bit(32)) AS bigint){% endmacro %}
{% macro snowflake__first_32_bits(id) %}to_number(substr({{ id }}, 1, 8), 'XXXXXXXX'){% endmacro %}
{% macro bigquery__first_32_bits(id) %}CAST(concat('0x', substr({{ id }}, 1, 8)) AS INT64){% endmacro %}
{% macro redshift__first_32_bits(id) %}strtol(substring({{ id }}, 1, 8), 16){% endmacro %}
