import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Row } from "../../../examples/responses-to-warehouse/row.ts";
import { COLUMNS } from "../../../examples/responses-to-warehouse/table.ts";

const EXAMPLE = join(import.meta.dirname, "../../../examples/responses-to-warehouse");
const FILES = "events/**/*.parquet";

export type Warehouse = Awaited<ReturnType<typeof openWarehouse>>;

/** The example's files in this folder, below `events`, and DuckDB with the example's views of them. */
export async function openWarehouse(folder: string) {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const query = async (sql: string): Promise<Record<string, unknown>[]> =>
    // As texts and numbers: what a list holds, too.
    (await connection.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
  const complete = readFileSync(join(EXAMPLE, "complete.sql"), "utf8").replace(
    "from_base(substr(event_id, 1, 8), 16)",
    "CAST('0x' || substr(event_id, 1, 8) AS BIGINT)",
  );
  return {
    query,
    /** Makes the views, over the files that are there. */
    async open(): Promise<void> {
      await connection.run(readFileSync(join(EXAMPLE, "duckdb.sql"), "utf8").replace(FILES, join(folder, FILES)));
    },
    /** Writes rows as Firehose does: one file of a day, in the types of the table. */
    async land(rows: readonly Row[], name = "all"): Promise<void> {
      const day = join(folder, "events/day=2026-03-10");
      mkdirSync(day, { recursive: true });
      const lines = join(folder, "rows.jsonl");
      writeFileSync(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      const columns = Object.entries(COLUMNS).map(([column, type]) => `"${column}": '${typeOf(type)}'`);
      const read = `read_json('${lines}', format = 'newline_delimited', columns = {${columns.join(", ")}})`;
      await connection.run(`COPY (SELECT * FROM ${read}) TO '${join(day, `${name}.parquet`)}' (FORMAT parquet)`);
      rmSync(lines);
    },
    /** What the query says: survey, and how many are missing. */
    async missing(): Promise<[survey: number, missing: number][]> {
      return (await query(complete)).map(({ survey_id, missing }) => [Number(survey_id), Number(missing)]);
    },
    /** The files that have rows of a response. */
    async filesOf(surveyId: number, responseId: number): Promise<string[]> {
      const of = `survey_id = ${surveyId} AND response_id = ${responseId}`;
      const files = `read_parquet('${join(folder, FILES)}', filename = true)`;
      return (await query(`SELECT DISTINCT filename FROM ${files} WHERE ${of}`)).map(({ filename }) =>
        String(filename),
      );
    },
    close(): void {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A type of the table, as DuckDB writes it. */
function typeOf(type: string): string {
  const [, item] = /^array<(.*)>$/.exec(type) ?? [];
  if (item !== undefined) return `${typeOf(item)}[]`;
  const [, fields] = /^struct<(.*)>$/.exec(type) ?? [];
  if (fields === undefined) return type;
  return `STRUCT(${fields
    .split(",")
    .map((field) => field.replace(/^(\w+):(.*)$/, (_, name, of) => `"${name}" ${typeOf(of)}`))
    .join(", ")})`;
}
