import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { PollerError } from "../errors.ts";
import type { Log } from "../monitoring/log.ts";
import {
  type AccountState,
  checkOwnState,
  knownOf,
  type LedgerEntry,
  learnedBy,
  type Ports,
  type Survey,
  type SurveyRow,
  selected,
  withSurvey,
} from "../polling/index.ts";
import type { SourceGraph } from "../run/wiring.ts";

/** The context of an operation: one source, for the time of one invocation. */
export interface OperationContext {
  graph: SourceGraph;
  ports: Ports;
  rawConfig: unknown;
  owner: string;
  /** Epoch milliseconds after which nothing new is begun; and at which requests to the service are aborted. */
  deadline: number;
  abortsAt: number;
  logger: Log;
}

/**
 * An operation of the function, which a command asks for by the input `{"source":"main","operation":{"kind":"…"}}`. One invocation does
 * what it can in its time. An operation that may take longer says in its result where to go on.
 */
export interface Operation<Input, Result extends object> {
  /** The fields beside `kind`. */
  input: z.ZodType<Input>;
  run: (context: OperationContext, input: Input) => Promise<Result>;
}

export const operation = <Input, Result extends object>(of: Operation<Input, Result>): Operation<Input, Result> => of;

export class SurveyNotReadyError extends PollerError {
  readonly code: string;
  constructor(code: string, message: string, hint: string) {
    super(message, { hint, retryable: true });
    this.code = code;
  }
}

/**
 * Milliseconds between two attempts to take a lease, and for which attempts are made. A turn of a backlog holds the lease for a minute at
 * most.
 */
const TRY_EVERY = 200;
const LONGEST_TRY = 90_000;

export async function readySource(
  { graph: { source, service }, ports }: OperationContext,
  surveyId: number,
): Promise<AccountState> {
  const account = await ports.state.account();
  checkOwnState(account, { source, service });
  if (!account.rows.has(surveyId) || !selected(surveyId, source.surveys)) {
    const message = `survey ${surveyId} of source ${source.name} is not polled`;
    throw new SurveyNotReadyError("SURVEY_UNKNOWN", message, "survey-poller status lists the surveys that are.");
  }
  return account;
}

/** @throws SurveyNotReadyError while the service is to be left alone, by its own word or by an operator's */
export function refusePaused({ pausedUntil }: AccountState): void {
  if (pausedUntil === undefined) return;
  throw new SurveyNotReadyError("PAUSED", "the source is paused", "survey-poller status says until when.");
}

/** Works on a survey under its lease, until then (epoch milliseconds); undefined where others have had it all the time. */
export async function onSurvey<T>(
  { graph: { source }, ports, owner, deadline }: OperationContext,
  asked: { surveyId: number; account: AccountState; until?: number; patience?: number },
  work: (survey: Survey) => Promise<T>,
): Promise<T | undefined> {
  const { surveyId, account, until = deadline, patience = LONGEST_TRY } = asked;
  const request = {
    ...{ ports, source, surveyId, owner, deadline: until, turnUntil: until },
    ...knownOf(account, account.rows.get(surveyId)?.counts),
    learned: learnedBy(account),
  };
  const latest = Math.min(deadline, ports.clock.now() + patience);
  for (;;) {
    const done = await withSurvey(request, async (survey) => ({ result: await work(survey) }));
    if (done !== undefined) return done.result;
    if (ports.clock.now() + TRY_EVERY > latest) return undefined;
    await sleep(TRY_EVERY);
  }
}

/** Entries of the ledger, of any number of ids. */
export async function entriesOf({ state }: Ports, surveyId: number, ids: readonly number[]) {
  const found = new Map<LedgerEntry["id"], LedgerEntry>();
  for (let i = 0; i < ids.length; i += 100)
    for (const [id, entry] of await state.entries(surveyId, ids.slice(i, i + 100))) found.set(id, entry);
  return found;
}

/** The next tick polls these surveys, though no count of theirs has moved, and takes in what their marks say. */
export async function makeDue(
  { state, clock }: Ports,
  surveyIds: number[],
  { fullAt, ...more }: Partial<SurveyRow> & { fullAt?: number } = {},
): Promise<void> {
  if (surveyIds.length === 0) return;
  const { rows } = await state.account();
  const now = clock.now();
  const due = new Map<number, SurveyRow>();
  for (const surveyId of surveyIds) {
    const row = rows.get(surveyId);
    if (row === undefined) continue;
    const full = row.rest["full read"];
    const rest = { ...row.rest, "full read": { ...full, at: fullAt ?? full.at } };
    due.set(surveyId, { ...row, dueAt: now, workedAt: now, rest, ...more });
  }
  if (due.size > 0) await state.saveRows(due);
}
