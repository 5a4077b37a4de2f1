import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import {
  type BooksClosed,
  booksClosed,
  type ResponseCompleted,
  responseCompleted,
  verifyBooks,
} from "survey-poller/events";

// Whether a file has every event that the poller has given out: `node verify-books.ts events.jsonl`, of a file such as
// `npm start -- --events events.jsonl` writes. Exit code 1 where something is missing.

interface Survey {
  name: string;
  /** The last books of the survey. */
  books?: BooksClosed;
  /** Events with contents, by their id. A repeat has the id of the first, and a later `detectedAt`. */
  events: Map<string, ResponseCompleted>;
}

const surveys = new Map<string, Survey>();

function surveyOf({ meta, data }: ResponseCompleted | BooksClosed): Survey {
  const name = `survey ${data.surveyId} of ${meta.sourceName}`;
  const survey = surveys.get(name) ?? { name, events: new Map() };
  surveys.set(name, survey);
  return survey;
}

function take(type: string, detail: { meta?: { test?: boolean } }): void {
  if (detail.meta?.test === true) return;
  if (type === "response.completed" || type === "response.updated") {
    const event = responseCompleted.parse(detail);
    const { events } = surveyOf(event);
    const known = events.get(event.meta.eventId);
    if (known === undefined || event.meta.detectedAt < known.meta.detectedAt) events.set(event.meta.eventId, event);
  } else if (type === "books.closed") {
    const books = booksClosed.parse(detail);
    const survey = surveyOf(books);
    if (books.meta.sequence > (survey.books?.meta.sequence ?? 0)) survey.books = books;
  }
}

/** The ids that the digest is made of: of each response its latest event by the time the books closed. */
function eventIds({ events }: Survey, books: BooksClosed): string[] {
  const latest = new Map<number, ResponseCompleted["meta"]>();
  for (const { meta, data } of events.values()) {
    if (meta.detectedAt > books.meta.detectedAt) continue;
    if (meta.revision > (latest.get(data.responseId)?.revision ?? 0)) latest.set(data.responseId, meta);
  }
  return [...latest.values()].map(({ eventId }) => eventId);
}

function verdictOn(survey: Survey): string {
  const { books } = survey;
  if (books === undefined) return "no books yet";
  const verdict = verifyBooks(eventIds(survey, books), books);
  const count = "count" in verdict ? ` ${verdict.count}` : "";
  return `${verdict.kind}${count} (books ${books.meta.sequence}: ${books.data.digest.count})`;
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: node verify-books.ts FILE");
for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
  if (line === "") continue;
  const event = JSON.parse(line);
  take(event["detail-type"], event.detail);
}
for (const survey of [...surveys.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
  const verdict = verdictOn(survey);
  console.log(`${survey.name}: ${verdict}`);
  if (/^(missing|different)/.test(verdict)) process.exitCode = 1;
}
