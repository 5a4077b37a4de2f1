import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { namingFailures } from "../../lib/aws/failure.ts";
import { PollerError } from "../../lib/errors.ts";
import type { Mark } from "../../lib/polling/model/mark.ts";
import { placeOf } from "../../lib/polling/model/phase.ts";
import { readAccount } from "../../lib/state/account.ts";
import { readMark } from "../../lib/state/leases.ts";
import { names } from "./provision.ts";

/** The work is done by then: what fails meanwhile is asked again for longer than usual. */
const MOST_ATTEMPTS = 10;

/** One line for each survey of a source: what this run emitted of it, and whether its books are closed. */
export async function surveyLines(source: string, emitted: Map<number, number>): Promise<string[]> {
  const sdk = namingFailures("dynamodb", new DynamoDBClient({ maxAttempts: MOST_ATTEMPTS }));
  const table = { client: DynamoDBDocumentClient.from(sdk), name: names.table };
  const { rows } = await readAccount(table, source);
  const surveyIds = [...new Set([...rows.keys(), ...emitted.keys()])].sort((a, b) => a - b);
  const lines: string[] = [];
  for (const surveyId of surveyIds) {
    const books = await readMark(table, source, surveyId).then(booksLine, whyNot);
    lines.push(`survey ${surveyId}: ${emitted.get(surveyId) ?? 0} emitted; books: ${books}`);
  }
  sdk.destroy();
  return lines;
}

/** What was emitted is to be said all the same. */
function whyNot(error: unknown): string {
  if (error instanceof PollerError) return `could not be read: ${error.message}`;
  throw error;
}

function booksLine(mark: Mark): string {
  const place = placeOf(mark);
  if (place !== undefined) return `not closed yet: ${mark.phase.kind} at page ${place.page}`;
  if (mark.booksOpen !== undefined) return `not closed yet: ${mark.booksOpen}`;
  const { books } = mark;
  if (books === undefined) return "not closed yet: no scan has read every page";
  const classes = [
    `${books.emitted} emitted`,
    `${books.beforeFloor} before the floor`,
    `${books.open} open`,
    `${books.held} held`,
    `${books.waiting} waiting`,
    `${books.quarantined} quarantined`,
    `${books.refused} refused`,
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
