import { booksSums, verifyBooks } from "../../../events/index.ts";
import { CommandError, EXIT, UsageError } from "../../errors.ts";
import { eventsIn, linesOf } from "../../event-ids.ts";
import type { Io } from "../../io.ts";
import type { Answer } from "../../verb.ts";
import { columns, count, figure } from "../../words.ts";

// `verify --buckets`: what a consumer has, by the books that it was sent. Files alone are read, no ledger and nothing of AWS.

interface Event {
  eventId: string;
  responseId: number;
  revision: number;
  detectedAt: string;
}

/** What the files say of one survey. */
interface Told {
  source: string;
  surveyId: number;
  books?: { sequence: number; closedAt: string; digest: { count: number; sum: string }; buckets: number[] };
  /** By id. A repeat has a later date: the first one counts. */
  events: Map<string, Event>;
}

/** Names the buckets in which a consumer differs from its books, and the events in them. */
export async function verifyBuckets(
  { ids, events }: { ids?: string | undefined; events?: string | undefined },
  io: Io,
): Promise<Answer> {
  if (ids === undefined) {
    throw new UsageError("it is not said what the consumer has", { hint: "Give --ids FILE, or - for standard input." });
  }
  const told = new Map<string, Told>();
  const own = new Set<string>();
  for await (const line of linesOf("--ids", ids, io)) {
    const some = eventsIn(line);
    for (const { id } of some) if (id !== undefined) own.add(id);
    take(told, some);
  }
  if (events !== undefined) for await (const line of linesOf("--events", events, io)) take(told, eventsIn(line));
  const all = [...told.values()].sort((a, b) => a.surveyId - b.surveyId || (a.source < b.source ? -1 : 1));
  const surveys = all.map((survey) => verdictOn(survey, own));
  // Ids of the consumer that are of no event in the files.
  const known = new Set(all.flatMap((survey) => [...survey.events.keys()]));
  const unknown = [...own].filter((id) => !known.has(id)).length;
  if (surveys.every(({ books }) => books === null)) {
    throw new CommandError("NO_BOOKS", "no books.closed event is in the files", {
      hint: "Give events as NDJSON with their books: --events FILE, as npm start -- --events FILE writes them, or a replay of the archive.",
    });
  }
  const isComplete = surveys.every(({ verdict }) => verdict === "complete");
  const verdict = isComplete ? "complete" : surveys.some(isLacking) ? "missing" : "unknown";
  const lines = surveys.map(surveyLine);
  return {
    data: { verdict, sentence: lines.join(" "), surveys, unknown },
    text: [
      ...surveys.flatMap((survey, i) => [lines[i] ?? "", ...bucketLines(survey)]),
      ...(unknown === 0 ? [] : [`${count(unknown, "id")} of the consumer: of no event in the files, and not judged.`]),
    ],
    exit: { complete: EXIT.done, missing: EXIT.unaccounted, unknown: EXIT.notNow }[verdict],
  };
}

/** The outcome for one survey. Unknown: the files have no books of it, and nobody can tell what it should have. */
type SurveyVerdict = ReturnType<typeof verdictOn>;

const isLacking = ({ verdict }: SurveyVerdict): boolean => verdict === "missing" || verdict === "different";

/** The details of events with contents and of books, as far as they are looked at here. */
interface Detail {
  meta: { eventId: string; sourceName: string; detectedAt: string; revision?: number; sequence?: number };
  data: { surveyId: number; responseId?: number; digest?: { count: number; sum: string }; buckets?: number[] };
}

/** Keeps what a line says of events and of books. */
function take(told: Map<string, Told>, events: ReturnType<typeof eventsIn>): void {
  for (const { meta, data } of events.flatMap(({ detail }) => (detail as Detail | undefined) ?? [])) {
    const { sourceName: source, detectedAt, eventId, revision, sequence } = meta;
    const { surveyId, responseId, digest, buckets } = data;
    const key = `${source}/${surveyId}`;
    const survey: Told = told.get(key) ?? { source, surveyId, events: new Map() };
    told.set(key, survey);
    if (responseId !== undefined && revision !== undefined) {
      const known = survey.events.get(eventId);
      if (known === undefined || detectedAt < known.detectedAt)
        survey.events.set(eventId, { eventId, responseId, revision, detectedAt });
    } else if (sequence !== undefined && digest !== undefined && buckets !== undefined) {
      if (sequence > (survey.books?.sequence ?? 0)) survey.books = { sequence, closedAt: detectedAt, digest, buckets };
    }
  }
}

function verdictOn({ source, surveyId, books, events }: Told, own: ReadonlySet<string>) {
  const of = { source, surveyId, books: books?.sequence ?? null };
  if (books === undefined) {
    const has = latestOf([...events.values()].filter(({ eventId }) => own.has(eventId))).length;
    return { ...of, verdict: "unknown" as const, expected: 0, has, buckets: [] };
  }
  const counted = [...events.values()].filter(({ detectedAt }) => detectedAt <= books.closedAt);
  const theirs = latestOf(counted.filter(({ eventId }) => own.has(eventId)));
  const sums = booksSums();
  for (const { eventId } of theirs) sums.add(eventId);
  const { digest, buckets } = sums.sums();
  const missing = latestOf(counted).filter(({ eventId }) => !own.has(eventId));
  const differing = books.buckets.flatMap((expected, byte) => {
    // The ids in it begin with these two digits.
    const bucket = byte.toString(16).padStart(2, "0");
    const isIn = ({ eventId }: Event): boolean => eventId.startsWith(bucket);
    const lacking = missing.filter(isIn);
    const here = buckets[byte] ?? 0;
    if (here === expected && lacking.length === 0) return [];
    return [{ bucket, expected, has: here, missing: lacking, theirs: theirs.filter(isIn) }];
  });
  const { kind } = verifyBooks(digest, { data: { digest: books.digest } });
  const figures = { verdict: kind, expected: books.digest.count, has: digest.count };
  return { ...of, ...figures, buckets: kind === "complete" ? [] : differing };
}

/** Of each response its latest event. */
function latestOf(events: readonly Event[]): Event[] {
  const latest = new Map<number, Event>();
  for (const event of events) {
    if (event.revision > (latest.get(event.responseId)?.revision ?? 0)) latest.set(event.responseId, event);
  }
  return [...latest.values()];
}

/** "Survey 7 of main, books 2: 1 missing of 40." */
function surveyLine({ source, surveyId, books, verdict, expected, has }: SurveyVerdict): string {
  const said: Record<SurveyVerdict["verdict"], string> = {
    unknown: "no books yet",
    complete: `complete, ${count(expected, "event")}`,
    missing: `${figure(expected - has)} missing of ${figure(expected)}`,
    ahead: `${figure(has - expected)} more than ${figure(expected)}, made since`,
    different: `as many as ${figure(expected)}, but not the same`,
  };
  return `Survey ${surveyId} of ${source}${books === null ? "" : `, books ${books}`}: ${said[verdict]}.`;
}

/** A line for each bucket that differs, and one for each event that says more. */
function bucketLines({ buckets }: SurveyVerdict): string[] {
  return columns(
    buckets.flatMap(({ bucket, expected, has, missing, theirs }) => {
      const events = [
        ...missing.map((event) => ["missing", event] as const),
        ...theirs.map((event) => ["has", event] as const),
      ];
      const rows = events.map(([word, { eventId, responseId, revision }]) => [
        ...[bucket, word, eventId, `response ${responseId}`, `revision ${revision}`],
      ]);
      return [[bucket, `has ${has} of ${expected}`], ...rows];
    }),
  );
}
