import type { LedgerEntry } from "../../lib/polling/model/ledger-entry.ts";
import type { Mark } from "../../lib/polling/model/mark.ts";
import { readEntry } from "../../lib/state/ledger.ts";
import { UsageError } from "../flags.ts";
import { askingAws } from "./aws-failure.ts";
import { readSource, type SourceState, tableOf } from "./state.ts";
import { sourcesOf, type Target } from "./target.ts";

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
