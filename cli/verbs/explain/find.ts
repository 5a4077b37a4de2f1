import type { SourceConfig } from "../../../lib/config/index.ts";
import { type Looked, MOST_ASKED } from "../../../lib/operator/look.ts";
import type { AccountState } from "../../../lib/polling/model/account.ts";
import type { LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import { readAccount } from "../../../lib/state/account.ts";
import { readEntryIn } from "../../../lib/state/ledger.ts";
import { notNow } from "../../errors.ts";
import { UsageError } from "../../flags.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import { count } from "../../words.ts";

/** A source, and those of its surveys in which a response may be. */
export interface Place {
  source: SourceConfig;
  account: AccountState;
  surveyIds: number[];
}

/** Where a response was found. */
export interface Found {
  place: Place;
  surveyId: number;
  entry?: LedgerEntry;
  looked?: Looked;
}

export async function placesOf(
  target: Target,
  sources: readonly SourceConfig[],
  survey: number | undefined,
): Promise<Place[]> {
  const table = tableOf(target);
  return askingAws("the table could not be read", () =>
    Promise.all(
      sources.map(async (source) => {
        const account = await readAccount(table, source.name);
        const surveyIds = survey === undefined ? [...account.rows.keys()].sort((a, b) => a - b) : [survey];
        return { source, account, surveyIds };
      }),
    ),
  );
}

/** Looks the response up in the ledger of each survey. */
export async function findInLedger(target: Target, places: readonly Place[], id: LedgerEntry["id"]): Promise<Found[]> {
  const table = tableOf(target);
  return askingAws("the table could not be read", async () => {
    const found: Found[] = [];
    for (const place of places) {
      const entries = await readEntryIn(table, place.source.name, place.surveyIds, id);
      for (const [surveyId, entry] of entries) found.push({ place, surveyId, entry });
    }
    return found;
  });
}

/** The answers of the service. */
export interface Answers {
  found: Found[];
  /** Surveys that were asked, and how many there are. */
  asked: number;
  surveys: number;
}

/** Asks the service for the response, one request a survey and a hundred at most. */
export async function askService(
  target: Target,
  places: readonly Place[],
  by: { responseId: number } | { crk: string },
): Promise<Answers> {
  const found: Found[] = [];
  let asked = 0;
  for (const place of places) {
    for (let from = 0; from < place.surveyIds.length && asked < MOST_ASKED; ) {
      const surveyIds = place.surveyIds.slice(from, from + MOST_ASKED - asked);
      const answer = await target.operate(place.source.name, "look", { surveyIds, ...by });
      if (answer.pausedUntil !== null) {
        const until = new Date(answer.pausedUntil).toISOString();
        throw notNow("SERVICE_PAUSED", "the service asks to be left alone", { hint: `Try again after ${until}.` });
      }
      from += answer.asked;
      asked += answer.asked;
      for (const looked of answer.found) found.push({ place, surveyId: looked.surveyId, looked });
    }
  }
  return { found, asked, surveys: places.reduce((sum, { surveyIds }) => sum + surveyIds.length, 0) };
}

/**
 * The one that is meant; undefined where there is none.
 *
 * @throws UsageError where several surveys have it
 */
export function theOne(found: readonly Found[]): Found | undefined {
  const [first, ...others] = found;
  if (others.length === 0) return first;
  const where = found.map(({ place, surveyId }) => `--survey ${surveyId} --source ${place.source.name}`);
  throw new UsageError(`${count(found.length, "survey")} have such a response`, {
    hint: `Say which is meant: ${where.join(", or ")}.`,
  });
}
