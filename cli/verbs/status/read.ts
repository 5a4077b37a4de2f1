import type { SourceConfig } from "../../../lib/config/index.ts";
import { toMoment } from "../../../lib/events/build/local-time.ts";
import { type AccountState, placeOf, sayWhyOpen, selected, unaccountedOf } from "../../../lib/polling/index.ts";
import { surveyKey } from "../../../lib/state/keys.ts";
import { emittedResponses, readEntries } from "../../../lib/state/ledger.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { countDue, readSource, type SurveyState, tableOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import type { CatchUp, SourceStatus, StatusAnswer, SurveyStatus } from "./answer.ts";
import { problemOf, verdictOf } from "./verdict.ts";

const KINDS = ["open", "waiting", "held", "quarantined", "refused"] as const;

/** Reads where these sources stand, and says it in one sentence. */
export async function readStatus(target: Target, sources: readonly SourceConfig[], now: number): Promise<StatusAnswer> {
  const { data } = target;
  const end = data?.end === undefined ? null : { at: data.end.at, cause: data.end.cause ?? null };
  const found: { sources: SourceStatus[]; surveys: SurveyStatus[] } = { sources: [], surveys: [] };
  for (const source of sources) {
    const { account, surveys } = await readSource(target, source.name);
    found.sources.push(sourceStatus(source, account, { now, hasEnded: end?.cause === null }));
    const of = { target, source, account, now };
    const chosen = surveys.filter(({ surveyId }) => selected(surveyId, source.surveys));
    found.surveys.push(...(await Promise.all(chosen.map((survey) => surveyStatus(of, survey)))));
  }
  const run = data === undefined ? null : data.isRunning ? "at work" : "ended";
  return { ...verdictOf({ ...found, end, flags: target.flags, now }), run, end, ...found };
}

/** `hasEnded`: somebody has ended the last run on the data folder of the source. */
export function sourceStatus(
  { name, interval }: Pick<SourceConfig, "name" | "interval">,
  account: AccountState,
  at: { now: number; hasEnded?: boolean },
): SourceStatus {
  const { firstTick, lastTick, listedAt, pausedUntil, pausedSince, unlisted, start, startLooks, outages } = account;
  const status = {
    source: name,
    firstTick: firstTick ?? null,
    lastTick: lastTick ?? null,
    listedAt: listedAt ?? null,
    pausedUntil: pausedUntil ?? null,
    pausedSince: pausedSince ?? null,
    rate: rateOf(account) ?? null,
    outages: (["metrics", "metadata"] as const).filter((kind) => outages?.[kind] !== undefined),
    unlisted: unlisted ?? [],
    start: start ?? null,
    awaits: start === undefined ? (startLooks?.unanswered ?? []) : [],
  };
  return { ...status, problem: problemOf(status, { interval, ...at }) };
}

/** Requests a second that the client has learned. */
function rateOf({ learned }: AccountState): number | undefined {
  return (learned as { requestsPerSecond?: number } | undefined)?.requestsPerSecond;
}

interface Of {
  target: Target;
  source: SourceConfig;
  account: AccountState;
  now: number;
}

async function surveyStatus(of: Of, survey: SurveyState): Promise<SurveyStatus> {
  const { surveyId, row, mark } = survey;
  const table = tableOf(of.target);
  const source = of.source.name;
  const [counts, lag, catchUp] = await askingAws("the table could not be read", () =>
    Promise.all([
      Promise.all(KINDS.map(async (kind) => [kind, await countDue(table, source, surveyId, kind)])),
      lagOf(of, survey),
      catchUpOf(of, survey),
    ]),
  );
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
    books: booksOf(survey),
    booksOpen: mark.booksOpen === undefined ? null : sayWhyOpen(mark.booksOpen),
    unaccounted: unaccountedOf(mark),
  };
}

function booksOf({ mark: { books } }: SurveyState): SurveyStatus["books"] {
  if (books === undefined) return null;
  const { listed, emitted, beforeFloor, open, waiting, held, quarantined, refused, closedAt } = books;
  return { listed, emitted, beforeFloor, open, waiting, held, quarantined, refused, closedAt };
}

/** From the completion of the newest settled response to its event: of none that completed before the first tick, which is history, or waits in a backlog. */
async function lagOf({ target, source, account }: Of, { surveyId, mark }: SurveyState): Promise<number | null> {
  const { responseId, completed } = mark.highWater ?? {};
  const { at, ambiguous } = toMoment(completed ?? null, source.timeZone);
  if (placeOf(mark) !== undefined || responseId === undefined || at === undefined || ambiguous === true) return null;
  const completedAt = Date.parse(at);
  if (completedAt < (account.firstTick ?? Number.POSITIVE_INFINITY)) return null;
  const entries = await readEntries(tableOf(target), source.name, surveyId, [responseId]);
  const emittedAt = entries.get(responseId)?.emittedAt;
  return emittedAt === undefined ? null : Math.max(0, emittedAt - completedAt);
}

async function catchUpOf(of: Of, { surveyId, row, mark }: SurveyState): Promise<CatchUp | null> {
  const { source, account, now } = of;
  const page = placeOf(mark)?.page;
  if (page === undefined) return null;
  const listed = row?.counts[0] ?? null;
  const rate = Math.min(rateOf(account) ?? Infinity, source.maxRequestsPerSecond ?? Infinity);
  const details = Number(source.enrich.metrics) + Number(source.enrich.metadata);
  const isFirst = mark.books === undefined && account.start?.at === null;
  const emittedAt = isFirst ? await emissions(of, surveyId) : undefined;
  const timeFor = (part: number, pages: number): number | undefined =>
    listed === null || rate === Infinity ? undefined : ((part * (pages + listed * details)) / rate) * 1_000;
  return progressOf({ page, lastPage: mark.lastPage, listed, emittedAt, timeFor, now });
}

/** Milliseconds over which the speed of a first read is taken. */
const LATELY = 60_000;

interface Reading {
  /** The first page of which not everything is dealt with; and the last one when the end of the list was looked for last. */
  page: number;
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
export function progressOf({ page, lastPage, listed, emittedAt, timeFor, now }: Reading): CatchUp {
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

/** When the events of a survey went out. */
async function emissions({ target, source }: Of, surveyId: number): Promise<number[]> {
  const times: number[] = [];
  for (let from: string | undefined; ; ) {
    const { entries, next } = await emittedResponses(tableOf(target), surveyKey(source.name, surveyId), from);
    for (const { emittedAt } of entries) times.push(emittedAt);
    if (next === undefined) return times;
    from = next;
  }
}
