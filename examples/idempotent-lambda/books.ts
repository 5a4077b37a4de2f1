import { type BooksClosed, verifyBooks } from "survey-poller/events";
import { receivedBy } from "./receipts.ts";

/**
 * Compares what has come with the books of a survey.
 *
 * @throws Error where something is missing. Events may overtake each other, and Lambda looks again after a minute.
 */
export async function checkBooks(books: BooksClosed): Promise<void> {
  const { meta, data } = books;
  // The books of a test event are of no real survey.
  if (meta.test === true) return;
  const verdict = verifyBooks(await receivedBy(books), books);
  const survey = `Survey ${data.surveyId} of ${meta.sourceName}, books ${meta.sequence}`;
  if (verdict.kind === "missing") {
    throw new Error(`${survey}: events that have not come: ${verdict.count}. The README says how to get them.`);
  }
  if (verdict.kind === "different") {
    throw new Error(`${survey}: other events have come than were sent. The README says how to find which.`);
  }
  console.log(JSON.stringify({ message: `${survey}: ${verdict.kind}`, events: data.digest.count }));
}
