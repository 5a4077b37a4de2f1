import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/command.ts";
import { AFTER, closed, completed, golden, updated } from "./support/events.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/responses-to-warehouse");
const query = readFileSync(join(EXAMPLE, "complete.sql"), "utf8");
const page = join(ROOT, "docs/warehouse.md");

/** How an id's first 32 bits are read, by the names in the page's table. */
const expressions = new Map(
  [...readFileSync(page, "utf8").matchAll(/^\| ([\w, ]+) \| `([^`]+)` \| (?:yes|no) \|$/gm)].map(
    ([, name = "", expression = ""]) => [name, expression.replaceAll("\\|", "|")],
  ),
);
const TRINO = expressions.get("Athena, Trino") ?? "";

function queryOf(engine: string): string {
  const expression = expressions.get(engine);
  if (expression === undefined) throw new Error(`${page} has no ${engine}`);
  return query.replace(TRINO, expression);
}

type Event = { "detail-type": string; detail: object };
interface Detail {
  meta: Record<string, string | number | boolean>;
  data: { surveyId: number; responseId?: number; digest?: { count: number }; eventIdSum?: string };
}

const EVENTS = "event_type, event_id, source_name, survey_id, response_id, revision, detected_at";
const BOOKS = "source_name, survey_id, sequence, detected_at, event_count, event_id_sum";

/** Both tables of these events, for engines that are given rows. */
function tablesOf(events: readonly Event[]): string {
  const text = (value: unknown): string => (value === undefined ? "NULL" : `'${value}'`);
  const statements = events.map((event) => {
    const { meta, data } = event.detail as unknown as Detail;
    const { sourceName, detectedAt } = meta;
    const row =
      event["detail-type"] === "books.closed"
        ? [sourceName, data.surveyId, meta.sequence, detectedAt, data.digest?.count, data.eventIdSum]
        : [event["detail-type"], meta.eventId, sourceName, data.surveyId, data.responseId, meta.revision, detectedAt];
    const into = event["detail-type"] === "books.closed" ? `books (${BOOKS})` : `survey_events (${EVENTS})`;
    return `INSERT INTO ${into} VALUES (${row.map(text).join(", ")});`;
  });
  return `
CREATE TABLE survey_events (event_type text, event_id text, source_name text, survey_id bigint, response_id bigint, revision bigint, detected_at text);
CREATE TABLE books (source_name text, survey_id bigint, sequence bigint, detected_at text, event_count bigint, event_id_sum text);
${statements.join("\n")}`;
}

let postgres: PGlite | undefined;
afterAll(() => postgres?.close());

/** Rows of the query, by engine. DuckDB reads a file of whole events. */
const engines: Record<string, (events: readonly Event[]) => Promise<Record<string, unknown>[]>> = {
  async DuckDB(events) {
    const file = join(temporaryFolder(), "events.jsonl");
    writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    const tables = readFileSync(join(EXAMPLE, "events-file.sql"), "utf8");
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(tables.replace("events.jsonl", file));
    const rows = (await connection.runAndReadAll(queryOf("DuckDB"))).getRowObjects();
    connection.closeSync();
    return rows;
  },
  async PostgreSQL(events) {
    postgres ??= await PGlite.create();
    await postgres.exec(`DROP TABLE IF EXISTS survey_events, books; ${tablesOf(events)}`);
    return (await postgres.query<Record<string, unknown>>(queryOf("PostgreSQL"))).rows;
  },
};

const some = [1, 2, 3, 4].map((responseId) => completed(7, responseId));
const books = closed(7, some);
const update = updated(7, 2);

describe.each(Object.keys(engines))("the query in %s", (engine) => {
  it.each<[what: string, events: Event[], missing: [survey: number, missing: number][]]>([
    ["everything", [...some, books], [[7, 0]]],
    ["one row less", [...some.slice(1), books], [[7, 1]]],
    ["nothing but books", [books], [[7, 4]]],
    ["every event twice, and one made anew", [...some, ...some, books, books, completed(7, 3, AFTER)], [[7, 0]]],
    ["an update", [...some, update, closed(7, [update, ...some.filter((_, i) => i !== 1)])], [[7, 0]]],
    ["an update that has not come", [...some, closed(7, [update, ...some.filter((_, i) => i !== 1)])], [[7, 1]]],
    ["what came after the books", [...some, completed(7, 9, AFTER), updated(7, 1, AFTER), books], [[7, 0]]],
    ["books of books", [closed(7, [], 1), ...some, books, closed(7, some.slice(2), 1)], [[7, 0]]],
    [
      "several surveys",
      [...some, books, closed(8, [completed(8, 1)]), closed(9, [])],
      [
        [7, 0],
        [8, 1],
        [9, 0],
      ],
    ],
    ["a deletion", [...some, golden("deleted"), books], [[7, 0]]],
    ["no books", some, []],
  ])("is right after %s", async (_what, events, missing) => {
    const rows = (await engines[engine]?.(events)) ?? [];
    expect(rows.map(({ survey_id, missing }) => [Number(survey_id), Number(missing)])).toEqual(missing);
  });
});

it("stands in the dbt test as in its file, for each warehouse of the page", () => {
  const macros = globSync(join(EXAMPLE, "dbt/macros/*.sql"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const inMacro = query
    .replace(TRINO, "{{ survey_poller.first_32_bits('event_id') }}")
    .replace("FROM survey_events", "FROM {{ survey_events }} AS survey_events")
    .replace("FROM books\n", "FROM {{ books }} AS books\n");
  expect(macros.replaceAll(/^ {2}/gm, "")).toContain(inMacro);
  for (const [name, expression] of expressions) {
    const adapter = name === "Athena, Trino" ? "default" : name.toLowerCase().replace("postgresql", "postgres");
    const macro = expression.replace("event_id", "{{ id }}");
    expect(macros).toContain(`{% macro ${adapter}__first_32_bits(id) %}${macro}{% endmacro %}`);
  }
});
