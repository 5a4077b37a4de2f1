import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The views of athena.sql, one a query as Athena takes them, and the query that says what is missing. */
export function savedQueries(): { name: string; queryString: string }[] {
  const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");
  const views = read("athena.sql")
    .split(/;\n/)
    .filter((text) => text.trim() !== "");
  return [
    ...views.map((queryString) => ({ name: /VIEW (\w+)/.exec(queryString)?.[1] ?? "view", queryString })),
    { name: "complete", queryString: read("complete.sql") },
  ];
}
