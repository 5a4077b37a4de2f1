import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Mark } from "../../lib/polling/state-types.ts";
import { readAccount } from "../../lib/state/account.ts";
import { readMark } from "../../lib/state/leases.ts";
import { names } from "./provision.ts";

/** One line for each survey of a source: what this run emitted of it, and whether its books are closed. */
export async function surveyLines(source: string, emitted: Map<number, number>): Promise<string[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const table = { client, name: names.table };
  const { rows } = await readAccount(table, source);
  const surveyIds = [...new Set([...rows.keys(), ...emitted.keys()])].sort((a, b) => a - b);
  const lines: string[] = [];
  for (const surveyId of surveyIds) {
    const mark = await readMark(table, source, surveyId);
    lines.push(`survey ${surveyId}: ${emitted.get(surveyId) ?? 0} emitted; books: ${booksLine(mark)}`);
  }
  client.destroy();
  return lines;
}

function booksLine(mark: Mark): string {
  if (mark.stream !== undefined) return `not closed yet: ${mark.stream.purpose} at page ${mark.stream.page}`;
  if (mark.booksOpen !== undefined) return `not closed yet: ${mark.booksOpen}`;
  const { books } = mark;
  if (books === undefined) return "not closed yet: no scan has read every page";
  const classes = [
    `${books.emitted} emitted`,
    `${books.beforeFloor} before the floor`,
    `${books.open} open`,
    `${books.waiting} waiting`,
    `${books.quarantined} quarantined`,
  ];
  const rest = [
    books.gone > 0 ? `${books.gone} gone` : "",
    books.changed > 0 ? `${books.changed} changed` : "",
    books.repaired > 0 ? `${books.repaired} repaired` : "",
    books.deficit !== null && books.deficit !== 0 ? `deficit ${books.deficit}` : "",
  ].filter((text) => text !== "");
  const sum = [`${books.listed} listed = ${classes.join(" + ")}`, ...rest].join("; ");
  return `closed at ${new Date(books.closedAt).toISOString()} (${sum})`;
}
