import type { SourceConfig } from "../../../lib/config/index.ts";
import { toMoment } from "../../../lib/events/build/local-time.ts";
import type { AccountState } from "../../../lib/polling/model/account.ts";
import { sayWhyOpen, unaccountedOf } from "../../../lib/polling/model/books.ts";
import type { CheckedState } from "../../../lib/polling/model/ledger-entry.ts";
import { placeOf } from "../../../lib/polling/model/phase.ts";
import { selected } from "../../../lib/polling/model/source.ts";
import { surveyKey } from "../../../lib/state/keys.ts";
import { emittedResponses, readEntries } from "../../../lib/state/ledger.ts";
import type { Table } from "../../../lib/state/table-client.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { countDue, readSource, type SurveyState, tableOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import type { SourceStatus, StatusAnswer, SurveyStatus } from "./answer.ts";
import { problemOf, verdictOf } from "./verdict.ts";

const KINDS = ["open", "waiting", "held", "quarantined", "refused"] as const satisfies CheckedState[];

/** Reads where these sources stand, and says it in one sentence. */
export async function readStatus(target: Target, sources: readonly SourceConfig[], now: number): Promise<StatusAnswer> {
  const end = target.data?.end === undefined ? null : { at: target.data.end.at, cause: target.data.end.cause ?? null };
  const found: { sources: SourceStatus[]; surveys: SurveyStatus[] } = { sources: [], surveys: [] };
  for (const source of sources) {
    const { account, surveys } = await readSource(target, source.name);
    const outages = (["metrics", "metadata"] as const).filter((kind) => account.breakers?.[kind].phase === "open");
    const status = {
      source: source.name,
      firstTick: account.firstTick ?? null,
      lastTick: account.lastTick ?? null,
      listedAt: account.listedAt ?? null,
      pausedUntil: account.pausedUntil ?? null,
      pausedSince: account.pausedSince ?? null,
      rate: rateOf(account) ?? null,
      outages,
      unlisted: account.unlisted ?? [],
      start: account.start ?? null,
      awaits: awaitedBy(account),
    };
    found.sources.push({
      ...status,
      problem: problemOf(status, { interval: source.interval, now, hasEnded: end?.cause === null }),
    });
    const chosen = surveys.filter(({ surveyId }) => selected(surveyId, source.surveys));
    found.surveys.push(
      ...(await Promise.all(chosen.map((survey) => statusOf(target, { source, account, now }, survey)))),
    );
  }
  const run = target.data === undefined ? null : target.data.isRunning ? "at work" : "ended";
  return { ...verdictOf({ ...found, end, flags: target.flags, now }), run, end, ...found };
}

/** The surveys that the start of a source waits for. */
export function awaitedBy({ start, startLooks }: AccountState): number[] {
  return start === undefined ? (startLooks?.unanswered ?? []) : [];
}

interface Of {
  source: SourceConfig;
  account: AccountState;
  now: number;
}

async function statusOf(target: Target, of: Of, survey: SurveyState): Promise<SurveyStatus> {
  const { surveyId, row, mark } = survey;
  const table = tableOf(target);
  const source = of.source.name;
  const [counts, lag, catchUp] = await askingAws("the table could not be read", () =>
    Promise.all([
      Promise.all(KINDS.map(async (kind) => [kind, await countDue(table, source, surveyId, kind)] as const)),
      lagOf(table, of, { surveyId, mark }),
      catchUpOf(table, of, survey),
    ]),
  );
  const { books } = mark;
  return {
    source,
    surveyId,
    name: mark.survey?.facts.name ?? null,
    phase: mark.phase.kind,
    lastPoll: row?.polledAt ?? null,
    highWater: mark.highWater ?? null,
    lag,
    now: Object.fromEntries(counts) as SurveyStatus["now"],
    catchUp,
    books:
      books === undefined
        ? null
        : {
            listed: books.listed,
            emitted: books.emitted,
            beforeFloor: books.beforeFloor,
            open: books.open,
            waiting: books.waiting,
            held: books.held,
            quarantined: books.quarantined,
            refused: books.refused,
            closedAt: books.closedAt,
          },
    booksOpen: mark.booksOpen === undefined ? null : sayWhyOpen(mark.booksOpen),
    unaccounted: unaccountedOf(mark),
  };
}

/** From the completion of the newest settled response to its event: of none that completed before the first tick, which is history, or waits in a backlog. */
async function lagOf(
  table: Table,
  { source, account }: Of,
  { surveyId, mark }: Pick<SurveyState, "surveyId" | "mark">,
) {
  const { responseId, completed } = mark.highWater ?? {};
  const { at, ambiguous } = toMoment(completed ?? null, source.timeZone);
  if (placeOf(mark) !== undefined || responseId === undefined || at === undefined || ambiguous === true) return null;
  const completedAt = Date.parse(at);
  if (completedAt < (account.firstTick ?? Number.POSITIVE_INFINITY)) return null;
  const entry = (await readEntries(table, source.name, surveyId, [responseId])).get(responseId);
  return entry?.emittedAt === undefined ? null : Math.max(0, entry.emittedAt - completedAt);
}

async function catchUpOf(
  table: Table,
  { source, account, now }: Of,
  { surveyId, row, mark }: SurveyState,
): Promise<SurveyStatus["catchUp"]> {
  const place = placeOf(mark);
  if (place === undefined) return null;
  const listed = row?.counts[0] ?? null;
  const rate = Math.min(
    rateOf(account) ?? Number.POSITIVE_INFINITY,
    source.maxRequestsPerSecond ?? Number.POSITIVE_INFINITY,
  );
  const details = Number(source.enrich.metrics) + Number(source.enrich.metadata);
  return progressOf({
    page: place.page,
    lastPage: mark.lastPage,
    listed,
    emittedAt: mark.books === undefined && account.start?.at === null ? await emissions() : undefined,
    timeFor: (part, pages) =>
      listed === null || rate === Number.POSITIVE_INFINITY
        ? undefined
        : ((part * (pages + listed * details)) / rate) * 1_000,
    now,
  });

  async function emissions(): Promise<number[]> {
    const times: number[] = [];
    for (let from: string | undefined; ; ) {
      const { entries, next } = await emittedResponses(table, surveyKey(source.name, surveyId), from);
      for (const { emittedAt } of entries) times.push(emittedAt);
      if (next === undefined) return times;
      from = next;
    }
  }
}

/** Requests a second that the client has learned. */
function rateOf({ learned }: AccountState): number | undefined {
  return (learned as { requestsPerSecond?: number } | undefined)?.requestsPerSecond;
}

/** Milliseconds over which the speed of a first read is taken. */
const LATELY = 60_000;

interface Reading {
  /** The first page of which not everything is dealt with. */
  page: number;
  /** The last page when the end of the list was looked for last. */
  lastPage: number | undefined;
  /** Responses by the count of the survey list; null where that is not known. */
  listed: number | null;
  /** When its events went out (epoch milliseconds), of a first read in which all that is met goes out. */
  emittedAt: readonly number[] | undefined;
  /** Milliseconds of reading a part of it from 0 to 1, with its details; undefined where no rate is known. */
  timeFor(part: number, pages: number): number | undefined;
  now: number;
}

/** How far a walk over all pages is, and when it will be done. The pages of a first read follow from the records that its responses have had so far. */
export function progressOf(reading: Reading): NonNullable<SurveyStatus["catchUp"]> {
  const { page, lastPage, listed, emittedAt, timeFor, now } = reading;
  const emitted = emittedAt?.length ?? null;
  const expected = emitted === null || listed === null || listed < emitted ? null : listed;
  const byResponses = emitted === null || expected === null ? null : emitted / Math.max(1, expected);
  const known = lastPage === undefined ? null : Math.max(page, lastPage);
  const pages = byResponses === null || byResponses === 0 ? known : Math.max(page, Math.ceil((page - 1) / byResponses));
  const part = byResponses ?? (pages === null ? null : Math.min(1, (page - 1) / pages));
  const measured = expected === null ? undefined : timeLeft(emittedAt ?? [], expected, now);
  const left = measured ?? (part === null || pages === null ? undefined : timeFor(1 - part, pages)) ?? null;
  return { page, pages, part, left: left === null ? null : Math.ceil(left), emitted, expected };
}

/** At the speed of the last minute; undefined where nothing went out in it. */
function timeLeft(emittedAt: readonly number[], expected: number, now: number): number | undefined {
  const lately = emittedAt.filter((at) => at > now - LATELY);
  const since = lately.reduce((first, at) => Math.min(first, at), now);
  if (lately.length === 0 || since === now) return undefined;
  return ((expected - emittedAt.length) * (now - since)) / lately.length;
}
