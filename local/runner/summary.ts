import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { countDue } from "../../cli/target/state.ts";
import { namingFailures } from "../../lib/aws/failure.ts";
import { PollerError } from "../../lib/errors.ts";
import type { Mark } from "../../lib/polling/model/mark.ts";
import { placeOf } from "../../lib/polling/model/phase.ts";
import { readAccount } from "../../lib/state/account.ts";
import { readMark } from "../../lib/state/leases.ts";
import type { Table } from "../../lib/state/table-client.ts";
import type { Emissions } from "./progress.ts";
import { names } from "./provision.ts";

/** The work is done by then: what fails meanwhile is asked again for longer than usual. */
const MOST_ATTEMPTS = 10;

/** One line for each survey of a source: what this run emitted of it, and its books as they are now. */
export async function surveyLines(source: string, emitted: ReadonlyMap<number, Emissions>): Promise<string[]> {
  const sdk = namingFailures("dynamodb", new DynamoDBClient({ maxAttempts: MOST_ATTEMPTS }));
  const table = { client: DynamoDBDocumentClient.from(sdk), name: names.table };
  const { rows } = await readAccount(table, source);
  const surveyIds = [...new Set([...rows.keys(), ...emitted.keys()])].sort((a, b) => a - b);
  const lines: string[] = [];
  for (const surveyId of surveyIds) {
    const ofRun = emitted.get(surveyId);
    const books = await readMark(table, source, surveyId)
      .then(async (mark) => booksLine(mark, await sinceClosing(table, { source, surveyId }, mark, ofRun)))
      .catch(whyNot);
    lines.push(`survey ${surveyId}: ${ofRun?.count ?? 0} emitted; books: ${books}`);
  }
  sdk.destroy();
  return lines;
}

/** What was emitted is to be said all the same. */
function whyNot(error: unknown): string {
  if (error instanceof PollerError) return `could not be read: ${error.message}`;
  throw error;
}

const CHECKED = ["open", "waiting", "held", "quarantined", "refused"] as const;

/** What the books have no more, or not yet. */
interface Since {
  emitted: number;
  now: Record<(typeof CHECKED)[number], number>;
}

/** What has come since the books were closed; undefined where nothing has. */
async function sinceClosing(
  table: Table,
  { source, surveyId }: { source: string; surveyId: number },
  { books }: Mark,
  ofRun: Emissions | undefined,
): Promise<Since | undefined> {
  if (books === undefined) return undefined;
  const emitted = ofRun?.since(books.closedAt) ?? 0;
  const counts = await Promise.all(CHECKED.map(async (kind) => [kind, await countDue(table, source, surveyId, kind)]));
  const now = Object.fromEntries(counts) as Since["now"];
  const isMoved = emitted > 0 || CHECKED.some((kind) => now[kind] !== books[kind]);
  return isMoved ? { emitted, now } : undefined;
}

function booksLine(mark: Mark, since: Since | undefined): string {
  const place = placeOf(mark);
  if (place !== undefined) return `not closed yet: ${mark.phase.kind} at page ${place.page}`;
  if (mark.booksOpen !== undefined) return `not closed yet: ${mark.booksOpen}`;
  if (mark.books === undefined) return "not closed yet: no scan has read every page";
  const books = since === undefined ? mark.books : movedOn(mark.books, since);
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
  const closedAt = new Date(books.closedAt).toISOString();
  const more = since !== undefined && since.emitted > 0 ? `, ${since.emitted} emitted since` : "";
  return `closed at ${closedAt}${more} (${sum})`;
}

/** The books as they are now: nothing of what has come since was listed when they were closed. */
function movedOn(books: NonNullable<Mark["books"]>, { emitted, now }: Since): NonNullable<Mark["books"]> {
  const moved = { ...books, ...now, emitted: books.emitted + emitted };
  const { beforeFloor, open, held, waiting, quarantined, refused } = moved;
  // What the service counted then says nothing of now.
  return {
    ...moved,
    deficit: null,
    listed: moved.emitted + beforeFloor + open + held + waiting + quarantined + refused,
  };
}
