import pLimit from "p-limit";
import { type EmittedResponse, type LedgerEntry, type Mark, ReadIds } from "../../lib/polling/index.ts";
import { readAccount } from "../../lib/state/account.ts";
import { surveyKey } from "../../lib/state/keys.ts";
import { emittedResponses, readEntry } from "../../lib/state/ledger.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { askingAws } from "./aws-failure.ts";
import { readSource, type SourceState, tableOf } from "./surveys.ts";
import { sourcesOf, type Target } from "./target.ts";

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
  mark: Mark;
}

/** Reads of single entries at once. */
const AT_ONCE = 50;

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
  isKnown: (mark: Mark) => boolean = () => false,
): Promise<FoundResponse | undefined> {
  const found: FoundResponse[] = [];
  let surveys = 0;
  for (const { name } of await sourcesOf(target, source)) {
    const state = await readSource(target, name);
    const chosen = state.surveys.filter(({ surveyId }) => survey === undefined || surveyId === survey);
    surveys += chosen.length;
    for (let i = 0; i < chosen.length; i += AT_ONCE) {
      const some = await Promise.all(chosen.slice(i, i + AT_ONCE).map((one) => look(target, name, one, id)));
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
  { books, listedIds }: Mark,
  bucket: { get(key: string): Promise<unknown> },
): Promise<ReadonlySet<number> | undefined> {
  if (books === undefined || listedIds === undefined) return undefined;
  const text = "inline" in listedIds ? listedIds.inline : await bucket.get(listedIds.key).catch(() => undefined);
  return typeof text === "string" ? ReadIds.fromText(text).all : undefined;
}
