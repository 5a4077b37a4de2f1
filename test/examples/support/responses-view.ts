import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Row } from "../../../examples/responses-to-s3/row.ts";
import { COLUMNS } from "../../../examples/responses-to-s3/table.ts";

export const VIEW = readFileSync(join(import.meta.dirname, "../../../examples/responses-to-s3/responses.sql"), "utf8");

/**
 * The rows of the example's view over these events. SQLite runs the view's own text, as far as it is the SQL that Athena knows too: only the
 * words CREATE OR REPLACE are another dialect.
 */
export function viewOf(rows: readonly Row[]): Required<Row>[] {
  const columns = Object.keys(COLUMNS) as (keyof Row)[];
  const database = new DatabaseSync(":memory:");
  database.exec(`CREATE TABLE response_events (${columns.join(", ")})`);
  const insert = database.prepare(`INSERT INTO response_events VALUES (${columns.map(() => "?").join(", ")})`);
  for (const row of rows) {
    // A column that the object does not have is null to Athena.
    const values = columns.map((name) => row[name] ?? null);
    insert.run(...(values.map((value) => (typeof value === "object" ? JSON.stringify(value) : value)) as never[]));
  }
  database.exec(VIEW.replace("CREATE OR REPLACE VIEW", "CREATE VIEW"));
  const found = database.prepare("SELECT * FROM responses ORDER BY survey_id, response_id").all();
  database.close();
  return found.map(({ answers, place: _, ...row }) => ({ ...row, answers: JSON.parse(String(answers)) })) as never;
}
