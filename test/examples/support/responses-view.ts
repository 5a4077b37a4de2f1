import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Row } from "../../../examples/responses-to-s3/row.ts";

export const VIEW = readFileSync(join(import.meta.dirname, "../../../examples/responses-to-s3/responses.sql"), "utf8");

/**
 * The rows of the example's view over these events. SQLite runs the view's own text, as far as it is the SQL that Athena knows too: only the
 * words CREATE OR REPLACE are another dialect.
 */
export function viewOf(rows: readonly Row[]): Row[] {
  const [first] = rows;
  if (first === undefined) return [];
  const database = new DatabaseSync(":memory:");
  const columns = Object.keys(first);
  database.exec(`CREATE TABLE response_events (${columns.join(", ")})`);
  const insert = database.prepare(`INSERT INTO response_events VALUES (${columns.map(() => "?").join(", ")})`);
  for (const row of rows) {
    insert.run(...Object.values(row).map((value) => (Array.isArray(value) ? JSON.stringify(value) : value)));
  }
  database.exec(VIEW.replace("CREATE OR REPLACE VIEW", "CREATE VIEW"));
  const found = database.prepare("SELECT * FROM responses ORDER BY survey_id, response_id").all();
  database.close();
  return found.map(({ answers, place: _, ...row }) => ({ ...row, answers: JSON.parse(String(answers)) })) as never;
}
