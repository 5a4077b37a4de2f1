import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { namingFailures } from "../../aws/failure.ts";
import { PollerError } from "../../errors.ts";
import { placeOf, type SurveyState, sayWhyOpen } from "../../polling/index.ts";
import { readAccount } from "../../state/account.ts";
import { readMark } from "../../state/leases.ts";
import type { Emissions } from "./progress.ts";
import { names } from "./provision.ts";

/** The work is done by then: what fails meanwhile is asked again for longer than usual. */
const MOST_ATTEMPTS = 10;

/** One line for each survey of a source: what this run emitted of it, and its books as they were closed last. */
export async function surveyLines(source: string, emitted: ReadonlyMap<number, Emissions>): Promise<string[]> {
  const sdk = namingFailures("dynamodb", new DynamoDBClient({ maxAttempts: MOST_ATTEMPTS }));
  const table = { client: DynamoDBDocumentClient.from(sdk), name: names.table };
  const { rows } = await readAccount(table, source);
  const surveyIds = [...new Set([...rows.keys(), ...emitted.keys()])].sort((a, b) => a - b);
  const lines: string[] = [];
  for (const surveyId of surveyIds) {
    const { count = 0, firstAt = new Map<number, number>() } = emitted.get(surveyId) ?? {};
    let books: string;
    try {
      books = booksLine(await readMark(table, source, surveyId), firstAt.values());
    } catch (error) {
      if (!(error instanceof PollerError)) throw error;
      // Emitted events are to be told all the same.
      books = `could not be read: ${error.message}`;
    }
    lines.push(`survey ${surveyId}: ${count} emitted; books: ${books}`);
  }
  sdk.destroy();
  return lines;
}

function booksLine(mark: SurveyState, firstAt: Iterable<number>): string {
  const place = placeOf(mark);
  if (place !== undefined) return `not closed yet: ${mark.phase.kind} at page ${place.page}`;
  if (mark.booksOpen !== undefined) return `not closed yet: ${sayWhyOpen(mark.booksOpen)}`;
  if (mark.books === undefined) return "not closed yet: no scan has read every page";
  const { books } = mark;
  const classes = [
    `${books.emitted} emitted`,
    `${books.beforeStart} before the start`,
    `${books.open} open`,
    `${books.held} held`,
    `${books.waiting} waiting`,
    `${books.quarantined} quarantined`,
    `${books.refused} refused`,
  ];
  const rest = [
    ...(["gone", "changed", "repaired"] as const).flatMap((name) => (books[name] > 0 ? `${books[name]} ${name}` : [])),
    ...(books.deficit ? [`deficit ${books.deficit}`] : []),
  ];
  const sum = [`${books.listed} listed = ${classes.join(" + ")}`, ...rest].join("; ");
  const closedAt = new Date(books.closedAt).toISOString();
  const since = [...firstAt].filter((at) => at > books.closedAt).length;
  return `closed at ${closedAt} (${sum})${since > 0 ? `, ${since} emitted since` : ""}`;
}
