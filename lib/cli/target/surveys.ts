import pLimit from "p-limit";
import {
  type AccountState,
  type CheckedState,
  type EmittedResponse,
  type LedgerEntry,
  PAGE_SIZE,
  placeOf,
  ReadIds,
  type SurveyRow,
  type SurveyState,
} from "../../polling/index.ts";
import { readAccount } from "../../state/account.ts";
import { dueKey, surveyKey } from "../../state/keys.ts";
import { readMark } from "../../state/leases.ts";
import { emittedResponses, readEntry } from "../../state/ledger.ts";
import { queryAll, type Table } from "../../state/table-client.ts";
import { type CommandError, type CommandErrorOptions, InterruptedError, notNow, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { count, nextCommand, whyPaused } from "../words.ts";
import { askingAws } from "./aws-failure.ts";
import { sourcesOf, type Target } from "./target.ts";

/** Runs what reads the table. An error of AWS becomes one that says what to do. */
export function fromTable<T>(read: () => Promise<T>): Promise<T> {
  return askingAws("the table could not be read", read);
}

export interface PolledSurvey {
  surveyId: number;
  row: SurveyRow | undefined;
  mark: SurveyState;
}

export interface SourceState {
  source: string;
  account: AccountState;
  surveys: PolledSurvey[];
}

const AT_ONCE = 20;

/** Reads what the table holds of a source, but for its ledger. */
export async function readSource(target: Target, source: string): Promise<SourceState> {
  const table = target.table;
  const limit = pLimit(AT_ONCE);
  return fromTable(async () => {
    const account = await readAccount(table, source);
    const read = async (surveyId: number): Promise<PolledSurvey> => {
      return { surveyId, row: account.rows.get(surveyId), mark: await readMark(table, source, surveyId) };
    };
    return { source, account, surveys: await Promise.all(idsIn(account).map((id) => limit(read, id))) };
  });
}

export function idsIn({ rows }: AccountState): number[] {
  return [...rows.keys()].sort((a, b) => a - b);
}

/** How many entries of a survey are in this state. The index may lag behind by moments. */
export async function countDue(table: Table, source: string, surveyId: number, kind: CheckedState): Promise<number> {
  let number = 0;
  for await (const { Count = 0 } of queryAll(table, {
    IndexName: "due",
    ConsistentRead: false,
    Select: "COUNT",
    KeyConditionExpression: "#due = :due",
    ExpressionAttributeNames: { "#due": "due" },
    ExpressionAttributeValues: { ":due": dueKey(source, surveyId, kind) },
  })) {
    number += Count;
  }
  return number;
}

/** Tells of surveys that are to be polled by their ids, and that the survey list does not show. */
export function unlistedText(ids: readonly number[]): string {
  const [noun, verb] = ids.length === 1 ? ["survey", "is"] : ["surveys", "are"];
  return `${noun} ${ids.join(", ")} ${verb} not in the survey list: correct the id, or give the credentials access`;
}

/** @throws CommandError while the source is paused: nothing is asked of the service then */
export function refusePaused({ account, source }: Pick<SourceState, "account" | "source">, target: Target): void {
  const { pausedUntil, pausedSince = null } = account;
  if (pausedUntil === undefined) return;
  const options: CommandErrorOptions =
    pausedSince === null
      ? { hint: "Try again after that." }
      : { hint: "Let it go on first.", next: nextCommand("resume", { source, ...target }, "--yes") };
  throw notNow("PAUSED", whyPaused(source, { pausedSince, pausedUntil }), options);
}

/** Pages of a list as they were counted when its end was seen last; else at least so many. */
export function pagesOf({ mark, row }: PolledSurvey): { pages: number; isExact: boolean } {
  const least = Math.max(1, Math.ceil((row?.counts[0] ?? 0) / PAGE_SIZE));
  return { pages: Math.max(mark.lastPage ?? 0, least), isExact: mark.lastPage !== undefined };
}

export function isReadingBacklog(surveyId: number): CommandError {
  const hint = "Try again when survey-poller status no longer says so.";
  return notNow("CATCHING_UP", `survey ${surveyId} is being caught up`, { hint });
}

/** @throws CommandError while all of a survey is read, other than by a backfill */
export function refuseBehind({ surveyId, mark }: PolledSurvey): void {
  const place = placeOf(mark);
  if (mark.phase.kind === "new" || (place !== undefined && place.backfill === undefined))
    throw isReadingBacklog(surveyId);
}

export interface SurveyOf {
  source: string;
  surveyId: number;
}

const SURVEYS_AT_ONCE = 8;

/**
 * The surveys of which the table may hold a ledger: all, or those that are asked for.
 *
 * @throws UsageError for one that the poller has never met
 */
export async function ledgersOf(
  target: Target,
  { source, survey }: { source?: string | undefined; survey?: number | readonly number[] | undefined },
): Promise<SurveyOf[]> {
  const all: SurveyOf[] = [];
  for (const { name } of await sourcesOf(target, source)) {
    const account = await fromTable(() => readAccount(target.table, name));
    all.push(...idsIn(account).map((surveyId) => ({ source: name, surveyId })));
  }
  if (survey === undefined) return all;
  const wanted = [survey].flat();
  const unknown = wanted.find((id) => !all.some(({ surveyId }) => surveyId === id));
  if (unknown === undefined) return all.filter(({ surveyId }) => wanted.includes(surveyId));
  const hint = `${nextCommand("status", target)} lists its surveys.`;
  throw new UsageError(`${target.name} knows no survey ${unknown}`, { hint });
}

/** Entries of a ledger, as many at a time as `read` gives. */
export async function* entriesOf<Entry>(
  target: Target,
  { source, surveyId }: SurveyOf,
  read: (table: Table, pk: string, from: string | undefined) => Promise<{ entries: Entry[]; next?: string }>,
  io?: Pick<Io, "signal">,
): AsyncGenerator<Entry[]> {
  let from: string | undefined;
  do {
    const page = await fromTable(() => read(target.table, surveyKey(source, surveyId), from));
    if (io?.signal.aborted === true) throw new InterruptedError();
    yield page.entries;
    from = page.next;
  } while (from !== undefined);
}

/** Reads the ledgers of some surveys, and hands on what of them is emitted, some responses at a time. */
export async function eachEmitted(
  target: Target,
  surveys: readonly SurveyOf[],
  io: Pick<Io, "signal">,
  take: (survey: SurveyOf, entries: readonly EmittedResponse[]) => void,
): Promise<void> {
  const limit = pLimit(SURVEYS_AT_ONCE);
  const readOne = async (survey: SurveyOf): Promise<void> => {
    for await (const entries of entriesOf(target, survey, emittedResponses, io)) take(survey, entries);
  };
  await Promise.all(surveys.map((survey) => limit(readOne, survey)));
}

/** A response of a survey, as the table has it. */
export interface FoundResponse extends SurveyOf {
  name: string | null;
  id: LedgerEntry["id"];
  entry: LedgerEntry | undefined;
  mark: SurveyState;
}

/** What ledger and state of a survey have of a response now. */
export function readResponse(
  { table }: Target,
  { source, surveyId, id }: SurveyOf & Pick<FoundResponse, "id">,
): Promise<FoundResponse> {
  return fromTable(async () => {
    // In this order, as what is pending goes from the one to the other.
    const mark = await readMark(table, source, surveyId);
    const entry = await readEntry(table, source, surveyId, id);
    return { source, surveyId, name: mark.survey?.facts.name ?? null, id, entry, mark };
  });
}

/**
 * Looks a response up in the ledgers of some surveys. Undefined where none knows it.
 *
 * @param isKnown whether the state of a survey knows of it
 * @throws UsageError when several do
 */
export async function findResponse(
  target: Target,
  surveys: readonly SurveyOf[],
  id: LedgerEntry["id"],
  isKnown: (mark: SurveyState) => boolean = () => false,
): Promise<FoundResponse | undefined> {
  const limit = pLimit(AT_ONCE);
  const read = (survey: SurveyOf) => readResponse(target, { ...survey, id });
  const all = await Promise.all(surveys.map((survey) => limit(read, survey)));
  return theOne(all.filter(({ entry, mark }) => entry !== undefined || isKnown(mark)));
}

/** @throws UsageError where several surveys have the response */
export function theOne<Found extends SurveyOf>(found: readonly Found[]): Found | undefined {
  if (found.length < 2) return found[0];
  const where = found.map(({ source, surveyId }) => `--survey ${surveyId} --source ${source}`);
  const hint = `Say which is meant: ${where.join(", or ")}.`;
  throw new UsageError(`${count(found.length, "survey")} have such a response`, { hint });
}

/** The ids that the last closed books list; undefined where there are none, or the set may not be read. */
export async function listedIdsOf(
  { books, listedIds }: SurveyState,
  bucket: { get(key: string): Promise<unknown> },
): Promise<ReadonlySet<number> | undefined> {
  if (books === undefined || listedIds === undefined) return undefined;
  const text = "inline" in listedIds ? listedIds.inline : await bucket.get(listedIds.key).catch(() => undefined);
  return typeof text === "string" ? ReadIds.fromText(text).all : undefined;
}
