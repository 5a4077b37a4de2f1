import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import type { SourceConfig } from "../../lib/config/index.ts";
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
  selected,
} from "../../lib/polling/index.ts";
import { readAccount } from "../../lib/state/account.ts";
import { dueKey, surveyKey } from "../../lib/state/keys.ts";
import { readMark } from "../../lib/state/leases.ts";
import { emittedResponses, readEntry } from "../../lib/state/ledger.ts";
import type { Table } from "../../lib/state/table-client.ts";
import { type CommandError, type CommandErrorOptions, InterruptedError, notNow, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { pauseEnd } from "../words.ts";
import { askingAws } from "./aws-failure.ts";
import { sourcesOf, type Target } from "./target.ts";

/** The table of a target. */
export function tableOf({ clients, resources }: Target): Table {
  return { client: clients.dynamodb, name: resources.tableName };
}

/** One survey as the state has it. */
export interface PolledSurvey {
  surveyId: number;
  row: SurveyRow | undefined;
  mark: SurveyState;
}

/** One source as the state has it. */
export interface SourceState {
  source: string;
  account: AccountState;
  /** By their ids. */
  surveys: PolledSurvey[];
}

/** Marks that are read at once. */
const AT_ONCE = 20;

/** Reads what the table holds of a source, but for its ledger. */
export async function readSource(target: Target, source: string): Promise<SourceState> {
  const table = tableOf(target);
  return askingAws("the table could not be read", async () => {
    const account = await readAccount(table, source);
    const ids = [...account.rows.keys()].sort((a, b) => a - b);
    const surveys: PolledSurvey[] = [];
    for (let i = 0; i < ids.length; i += AT_ONCE) {
      const some = ids.slice(i, i + AT_ONCE).map(async (surveyId) => ({
        surveyId,
        row: account.rows.get(surveyId),
        mark: await readMark(table, source, surveyId),
      }));
      surveys.push(...(await Promise.all(some)));
    }
    return { source, account, surveys };
  });
}

/** How many entries of a survey are in this state. The index may lag behind by moments. */
export async function countDue(table: Table, source: string, surveyId: number, kind: CheckedState): Promise<number> {
  let count = 0;
  let from: Record<string, unknown> | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: "due",
        Select: "COUNT",
        KeyConditionExpression: "#due = :due",
        ExpressionAttributeNames: { "#due": "due" },
        ExpressionAttributeValues: { ":due": dueKey(source, surveyId, kind) },
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    count += answer.Count ?? 0;
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
  return count;
}

/** Tells of surveys that are to be polled by their ids, and that the survey list does not show. */
export function unlistedText(ids: readonly number[]): string {
  const [noun, verb] = ids.length === 1 ? ["survey", "is"] : ["surveys", "are"];
  return `${noun} ${ids.join(", ")} ${verb} not in the survey list: correct the id, or give the credentials access`;
}

/** The surveys that are meant, of those that are polled. */
export function chosenSurveys(
  { surveys }: SourceState,
  source: SourceConfig,
  surveyId: number | undefined,
  target: Target,
): PolledSurvey[] {
  const polled = surveys.filter((survey) => selected(survey.surveyId, source.surveys));
  const chosen = surveyId === undefined ? polled : polled.filter((survey) => survey.surveyId === surveyId);
  if (chosen.length > 0) return chosen;
  if (surveyId !== undefined) {
    const hint = `survey-poller status ${target.flags} lists the surveys that are.`;
    throw new UsageError(`survey ${surveyId} is not polled`, { hint });
  }
  const hint = "Try again after the first tick.";
  throw notNow("NOTHING_POLLED", "no survey has been polled yet", { hint });
}

/** @throws CommandError while the source is paused: nothing is asked of the service then */
export function refusePaused({ account, source }: SourceState, target: Target): void {
  const { pausedUntil, pausedSince } = account;
  if (pausedUntil === undefined) return;
  const options: CommandErrorOptions =
    pausedSince === undefined
      ? { hint: `Try again after ${new Date(pausedUntil).toISOString()}.` }
      : { hint: "Let it go on first.", next: `survey-poller resume --source ${source} ${target.flags} --yes` };
  const who = pausedSince === undefined ? "the survey service asks to be left alone" : "an operator has paused it";
  throw notNow("PAUSED", `source ${source} is paused${pauseEnd(pausedUntil)}: ${who}`, options);
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

/** One survey of a source. */
export interface SurveyOf {
  source: string;
  surveyId: number;
}

const SURVEYS_AT_ONCE = 8;

/**
 * The surveys of which the table may hold a ledger: all, or the one that is asked for.
 *
 * @throws UsageError where no source has polled that survey
 */
export async function ledgersOf(
  target: Target,
  { source, survey }: { source?: string | undefined; survey?: number | undefined },
): Promise<SurveyOf[]> {
  const table = tableOf(target);
  const all: SurveyOf[] = [];
  for (const { name } of await sourcesOf(target, source)) {
    const { rows } = await askingAws("the table could not be read", () => readAccount(table, name));
    for (const surveyId of [...rows.keys()].sort((a, b) => a - b)) all.push({ source: name, surveyId });
  }
  const chosen = survey === undefined ? all : all.filter(({ surveyId }) => surveyId === survey);
  if (survey === undefined || chosen.length > 0) return chosen;
  throw new UsageError(`survey ${survey} was never polled by ${target.name}`, {
    hint: `survey-poller status ${target.flags} lists its surveys.`,
  });
}

/** Reads the ledgers of some surveys, and hands on what of them is emitted, some responses at a time. */
export async function eachEmitted(
  target: Target,
  surveys: readonly SurveyOf[],
  { signal }: Pick<Io, "signal">,
  take: (survey: SurveyOf, entries: readonly EmittedResponse[]) => void,
): Promise<void> {
  const table = tableOf(target);
  const limit = pLimit(SURVEYS_AT_ONCE);
  const readOne = async (survey: SurveyOf): Promise<void> => {
    const pk = surveyKey(survey.source, survey.surveyId);
    let from: string | undefined;
    do {
      if (signal.aborted) throw new InterruptedError();
      const page = await askingAws("the table could not be read", () => emittedResponses(table, pk, from));
      take(survey, page.entries);
      from = page.next;
    } while (from !== undefined);
  };
  await Promise.all(surveys.map((survey) => limit(readOne, survey)));
}

/** Where a response was found. */
export interface FoundResponse {
  source: string;
  surveyId: number;
  /** Of the survey. */
  name: string | null;
  id: LedgerEntry["id"];
  /** Undefined where the mark alone knows it. */
  entry: LedgerEntry | undefined;
  mark: SurveyState;
}

/** Reads of single entries at once. */
const ENTRIES_AT_ONCE = 50;

/**
 * Looks a response up in the ledgers of all surveys, or of the one that is named. Undefined where none knows it.
 *
 * @param isKnown whether the mark of a survey knows of it
 * @throws UsageError when several do, or there is no such survey
 */
export async function findResponse(
  target: Target,
  id: LedgerEntry["id"],
  { source, survey }: { source?: string | undefined; survey?: number | undefined },
  isKnown: (mark: SurveyState) => boolean = () => false,
): Promise<FoundResponse | undefined> {
  const found: FoundResponse[] = [];
  let surveys = 0;
  for (const { name } of await sourcesOf(target, source)) {
    const state = await readSource(target, name);
    const chosen = state.surveys.filter(({ surveyId }) => survey === undefined || surveyId === survey);
    surveys += chosen.length;
    for (let i = 0; i < chosen.length; i += ENTRIES_AT_ONCE) {
      const some = await Promise.all(chosen.slice(i, i + ENTRIES_AT_ONCE).map((one) => look(target, name, one, id)));
      found.push(...some.filter(({ entry, mark }) => entry !== undefined || isKnown(mark)));
    }
  }
  if (survey !== undefined && surveys === 0) throw noSurvey(target, survey);
  if (found.length < 2) return found[0];
  const places = found.map((one) => `--source ${one.source} --survey ${one.surveyId}`).join(" or ");
  throw new UsageError(`several surveys have a response ${id}`, { hint: `Say which is meant: ${places}.` });
}

async function look(
  target: Target,
  source: string,
  { surveyId, mark }: SourceState["surveys"][number],
  id: LedgerEntry["id"],
): Promise<FoundResponse> {
  const entry = await askingAws("the table could not be read", () => readEntry(tableOf(target), source, surveyId, id));
  return { source, surveyId, name: mark.survey?.facts.name ?? null, id, entry, mark };
}

/** A survey was asked for that the poller has never met. */
export function noSurvey(target: Target, surveyId: number): UsageError {
  return new UsageError(`${target.name} knows no survey ${surveyId}`, {
    hint: `survey-poller status ${target.flags} lists its surveys.`,
  });
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
