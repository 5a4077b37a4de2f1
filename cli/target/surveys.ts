import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { SourceConfig } from "../../lib/config/index.ts";
import {
  type AccountState,
  type CheckedState,
  type Mark,
  PAGE_SIZE,
  placeOf,
  type SurveyRow,
  selected,
} from "../../lib/polling/index.ts";
import { readAccount } from "../../lib/state/account.ts";
import { dueKey } from "../../lib/state/keys.ts";
import { readMark } from "../../lib/state/leases.ts";
import type { Table } from "../../lib/state/table-client.ts";
import { type CommandError, type CommandErrorOptions, notNow, UsageError } from "../errors.ts";
import { pauseEnd } from "../words.ts";
import { askingAws } from "./aws-failure.ts";
import type { Target } from "./target.ts";

/** The table of a target. */
export function tableOf({ clients, resources }: Target): Table {
  return { client: clients.dynamodb, name: resources.tableName };
}

/** One survey as the state has it. */
export interface SurveyState {
  surveyId: number;
  row: SurveyRow | undefined;
  mark: Mark;
}

/** One source as the state has it. */
export interface SourceState {
  source: string;
  account: AccountState;
  /** By their ids. */
  surveys: SurveyState[];
}

/** Marks that are read at once. */
const AT_ONCE = 20;

/** Reads what the table holds of a source, but for its ledger. */
export async function readSource(target: Target, source: string): Promise<SourceState> {
  const table = tableOf(target);
  return askingAws("the table could not be read", async () => {
    const account = await readAccount(table, source);
    const ids = [...account.rows.keys()].sort((a, b) => a - b);
    const surveys: SurveyState[] = [];
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
): SurveyState[] {
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
export function pagesOf({ mark, row }: SurveyState): { pages: number; isExact: boolean } {
  const least = Math.max(1, Math.ceil((row?.counts[0] ?? 0) / PAGE_SIZE));
  return { pages: Math.max(mark.lastPage ?? 0, least), isExact: mark.lastPage !== undefined };
}

export function catchingUp(surveyId: number): CommandError {
  const hint = "Try again when survey-poller status no longer says so.";
  return notNow("CATCHING_UP", `survey ${surveyId} is being caught up`, { hint });
}

/** @throws CommandError while all of a survey is read, other than by a backfill */
export function refuseBehind({ surveyId, mark }: SurveyState): void {
  const place = placeOf(mark);
  if (mark.phase.kind === "new" || (place !== undefined && place.backfill === undefined)) throw catchingUp(surveyId);
}
