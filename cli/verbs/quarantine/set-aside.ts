import { reasonOf } from "../../../lib/operator/set-aside.ts";
import type { LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import { surveyKey } from "../../../lib/state/keys.ts";
import { redriveEntries } from "../../../lib/state/ledger.ts";
import { InterruptedError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { showProgress } from "../../progress.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { noSurvey } from "../../target/find-response.ts";
import { readSource, tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import type { Group } from "./answers.ts";
import { meaningOf } from "./meanings.ts";

/** A response that was set aside. */
export interface SetAside {
  source: string;
  surveyId: number;
  name: string | null;
  entry: LedgerEntry;
}

export interface Wanted {
  sources: readonly string[];
  /** All where it is left out. */
  surveyIds?: readonly number[] | undefined;
  reason?: string | undefined;
}

/**
 * Reads the ledgers of some surveys for what was set aside: there is no index of all of it.
 *
 * @throws UsageError where a survey is named that no source knows
 */
export async function readSetAside(target: Target, wanted: Wanted, io: Io): Promise<SetAside[]> {
  const table = tableOf(target);
  const found: SetAside[] = [];
  const known = new Set<number>();
  const progress = showProgress(io);
  for (const source of wanted.sources) {
    const { surveys } = await readSource(target, source);
    const chosen = surveys.filter(({ surveyId }) => wanted.surveyIds?.includes(surveyId) ?? true);
    for (const [i, { surveyId, mark }] of chosen.entries()) {
      known.add(surveyId);
      let from: string | undefined;
      do {
        if (io.signal.aborted) throw new InterruptedError();
        progress.update(`reading the ledger of survey ${surveyId}`, i / chosen.length);
        const page = await askingAws("the table could not be read", () =>
          redriveEntries(table, surveyKey(source, surveyId), from),
        );
        const name = mark.survey?.facts.name ?? null;
        found.push(...page.entries.map((entry) => ({ source, surveyId, name, entry })));
        from = page.next;
      } while (from !== undefined);
    }
  }
  progress.end();
  const unknown = wanted.surveyIds?.find((id) => !known.has(id));
  if (unknown !== undefined) throw noSurvey(target, unknown);
  return found.filter(({ entry }) => wanted.reason === undefined || reasonOf(entry) === wanted.reason);
}

export const isKept = ({ kept, keptKey }: LedgerEntry): boolean => kept !== undefined || keptKey !== undefined;

/** By source, state and reason, the largest group first. */
export function groupsOf(all: readonly SetAside[], flags: string): Group[] {
  const groups = Object.groupBy(all, ({ source, entry }) => JSON.stringify([source, entry.state, reasonOf(entry)]));
  return Object.values(groups)
    .flatMap((some = []) => (some[0] === undefined ? [] : [groupOf(some[0], some, flags)]))
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

function groupOf({ source, entry }: SetAside, some: readonly SetAside[], flags: string): Group {
  const { state } = entry;
  const reason = reasonOf(entry);
  const { meaning, mend, redrive } = meaningOf(state, reason);
  const surveys = Object.values(Object.groupBy(some, ({ surveyId }) => surveyId)).map((own = []) => ({
    surveyId: own[0]?.surveyId ?? 0,
    name: own[0]?.name ?? null,
    count: own.length,
    ids: own.map(({ entry: { id } }) => id),
  }));
  const [first] = surveys;
  return {
    source,
    state,
    reason,
    count: some.length,
    kept: some.filter((one) => isKept(one.entry)).length,
    oldest: least(some.flatMap((one) => one.entry.firstSeen ?? [])),
    recordsGo: least(some.flatMap((one) => (isKept(one.entry) ? (one.entry.nextCheck ?? []) : []))),
    meaning,
    mend,
    next: redrive
      ? `survey-poller quarantine redrive --all --reason ${quoted(reason)} --source ${source} ${flags}`
      : `survey-poller quarantine show ${first?.ids[0]} --survey ${first?.surveyId} --source ${source} --reveal ${flags}`,
    surveys,
  };
}

function least(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
}

/** As a shell takes it. */
function quoted(reason: string): string {
  return /^[\w.:-]+$/.test(reason) ? reason : `'${reason.replaceAll("'", "'\\''")}'`;
}
