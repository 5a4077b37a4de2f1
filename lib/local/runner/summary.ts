import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createBucket } from "../../aws/bucket.ts";
import { namingFailures } from "../../aws/failure.ts";
import { listedIdsOf } from "../../cli/target/surveys.ts";
import { PollerError } from "../../errors.ts";
import { placeOf, type SurveyState, sayWhyOpen } from "../../polling/index.ts";
import { readAccount } from "../../state/account.ts";
import { readMark } from "../../state/leases.ts";
import type { Emissions } from "./progress.ts";
import { names } from "./provision.ts";

/** The work is done by then: what fails meanwhile is asked again for longer than usual. */
const MOST_ATTEMPTS = 10;

/** One line for each survey of a source: what this run emitted of it, and its books as they are now. */
export async function surveyLines(source: string, emitted: ReadonlyMap<number, Emissions>): Promise<string[]> {
  const sdk = namingFailures("dynamodb", new DynamoDBClient({ maxAttempts: MOST_ATTEMPTS }));
  const table = { client: DynamoDBDocumentClient.from(sdk), name: names.table };
  const s3 = new S3Client({ forcePathStyle: true });
  const bucket = createBucket(async () => s3, names.bucket);
  const { rows } = await readAccount(table, source);
  const surveyIds = [...new Set([...rows.keys(), ...emitted.keys()])].sort((a, b) => a - b);
  const lines: string[] = [];
  for (const surveyId of surveyIds) {
    const { count = 0, firstAt = [] } = emitted.get(surveyId) ?? {};
    let books: string;
    try {
      const mark = await readMark(table, source, surveyId);
      const closedAt = mark.books?.closedAt ?? Infinity;
      const since = [...firstAt].filter(([, at]) => at > closedAt).map(([responseId]) => responseId);
      books = booksLine(mark, since, since.length > 0 ? await listedIdsOf(mark, bucket) : undefined);
    } catch (error) {
      if (!(error instanceof PollerError)) throw error;
      // Emitted events are to be told all the same.
      books = `could not be read: ${error.message}`;
    }
    lines.push(`survey ${surveyId}: ${count} emitted; books: ${books}`);
  }
  sdk.destroy();
  s3.destroy();
  return lines;
}

function booksLine(mark: SurveyState, since: readonly number[], listed: ReadonlySet<number> | undefined): string {
  const place = placeOf(mark);
  if (place !== undefined) return `not closed yet: ${mark.phase.kind} at page ${place.page}`;
  if (mark.booksOpen !== undefined) return `not closed yet: ${sayWhyOpen(mark.booksOpen)}`;
  if (mark.books === undefined) return "not closed yet: no scan has read every page";
  // What was listed already when the books were closed has left another class of theirs, and nobody has noted which.
  const isNew = since.length > 0 && listed !== undefined && since.every((id) => !listed.has(id));
  // What has come since was not listed when they were closed, and the service's count of then says nothing of now.
  const { books: then } = mark;
  const books = isNew
    ? { ...then, deficit: null, listed: then.listed + since.length, emitted: then.emitted + since.length }
    : then;
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
  const more = since.length > 0 ? `, ${since.length} emitted since` : "";
  return `closed at ${closedAt}${more} (${sum})`;
}
