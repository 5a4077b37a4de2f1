import { Stack } from "aws-cdk-lib";
import { CfnDatabase, CfnTable } from "aws-cdk-lib/aws-glue";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { DATABASE, EVENTS, TABLE } from "./names.ts";
import type { Row } from "./row.ts";

/** Columns by name, with their types. A column that `Row` does not have, or has and is not here, does not compile. */
export const COLUMNS: Readonly<Record<keyof Row, string>> = {
  event_id: "string",
  event_type: "string",
  source_name: "string",
  survey_id: "bigint",
  response_id: "bigint",
  revision: "int",
  detected_at: "string",
  deleted_at: "string",
  survey_name: "string",
  survey_modified: "string",
  survey_language_id: "int",
  survey_listed: "boolean",
  completed_local: "string",
  completed_at: "string",
  country: "string",
  crk: "string",
  nps_score: "double",
  nps_class: "string",
  score_percent: "double",
  duration_seconds: "double",
  comments: "int",
  test: "boolean",
  answers:
    "array<struct<question_id:bigint,question:string,question_type:string,answer:array<bigint>,labels:array<string>,comment:string,score:double>>",
  metrics: "string",
  metadata: "string",
  sequence: "bigint",
  as_of: "string",
  listed: "bigint",
  event_count: "bigint",
  event_id_sum: "string",
  buckets: "array<bigint>",
  impressions: "bigint",
  opened: "bigint",
  responses: "bigint",
};

/** The events as a table: by it Firehose writes Parquet, and Athena reads it. The days are told by a rule, so that no crawler has to find them. */
export function createTable(scope: Construct, bucket: IBucket): CfnTable {
  const { account } = Stack.of(scope);
  const database = new CfnDatabase(scope, "Database", { catalogId: account, databaseInput: { name: DATABASE } });
  const location = bucket.s3UrlForObject(EVENTS);
  const table = new CfnTable(scope, "Table", {
    catalogId: account,
    databaseName: DATABASE,
    tableInput: {
      name: TABLE,
      tableType: "EXTERNAL_TABLE",
      partitionKeys: [{ name: "day", type: "string" }],
      parameters: {
        classification: "parquet",
        "projection.enabled": "true",
        "projection.day.type": "date",
        "projection.day.format": "yyyy-MM-dd",
        "projection.day.range": "2026-01-01,NOW",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Athena fills it in
        "storage.location.template": [location, "day=${day}"].join("/"),
      },
      storageDescriptor: {
        location,
        inputFormat: "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
        outputFormat: "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
        serdeInfo: { serializationLibrary: "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe" },
        columns: Object.entries(COLUMNS).map(([name, type]) => ({ name, type })),
      },
    },
  });
  table.addResourceDependency(database);
  return table;
}
