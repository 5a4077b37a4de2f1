import pLimit from "p-limit";
import type { EmittedResponse } from "../../lib/polling/model/ledger-entry.ts";
import { readAccount } from "../../lib/state/account.ts";
import { surveyKey } from "../../lib/state/keys.ts";
import { emittedResponses } from "../../lib/state/ledger.ts";
import { InterruptedError } from "../errors.ts";
import { UsageError } from "../flags.ts";
import type { Io } from "../io.ts";
import { askingAws } from "./aws-failure.ts";
import { tableOf } from "./state.ts";
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
