import { reasonOf } from "../../../lib/operator/put-back.ts";
import type { LedgerEntry } from "../../../lib/polling/index.ts";
import { surveyKey } from "../../../lib/state/keys.ts";
import { redriveEntries } from "../../../lib/state/ledger.ts";
import { InterruptedError } from "../../errors.ts";
import { type Io, showProgress } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { noSurvey } from "../../target/responses.ts";
import { readSource, tableOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import { quoted } from "../../words.ts";

// Times are epoch milliseconds. An id is a responseId, or that of a record of nobody knows which response.

/** All that was set aside for one reason. */
export interface Group extends Meaning {
  source: string;
  /** Emitted where the replacement of its event was refused. */
  state: LedgerEntry["state"];
  reason: string;
  count: number;
  /** Of how many the records are still kept. */
  kept: number;
  /** When the first of them was set aside, where that is known. */
  oldest: number | null;
  /** When the first kept records are dropped. */
  recordsGo: number | null;
  next: string | null;
  surveys: { surveyId: number; name: string | null; count: number; ids: LedgerEntry["id"][] }[];
}

/** The meaning of a reason, and who mends it how. */
export interface Meaning {
  meaning: string;
  mend: string;
}

/** A response that was set aside. */
export interface SetAside {
  source: string;
  surveyId: number;
  name: string | null;
  entry: LedgerEntry;
}

/**
 * Reads the ledgers of some surveys, or of all, for what was set aside: there is no index of all of it.
 *
 * @throws UsageError where a survey is named that no source knows
 */
export async function readSetAside(
  target: Target,
  wanted: { sources: readonly string[]; surveyIds?: readonly number[] | undefined; reason?: string | undefined },
  io: Io,
): Promise<SetAside[]> {
  const found: SetAside[] = [];
  const known = new Set<number>();
  const progress = showProgress(io);
  for (const source of wanted.sources) {
    const { surveys } = await readSource(target, source);
    const chosen = surveys.filter(({ surveyId }) => wanted.surveyIds?.includes(surveyId) ?? true);
    for (const [i, { surveyId, mark }] of chosen.entries()) {
      known.add(surveyId);
      const name = mark.survey?.facts.name ?? null;
      let from: string | undefined;
      do {
        if (io.signal.aborted) throw new InterruptedError();
        progress.update(`reading the ledger of survey ${surveyId}`, i / chosen.length);
        const page = await askingAws("the table could not be read", () =>
          redriveEntries(tableOf(target), surveyKey(source, surveyId), from),
        );
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

/** By source, state and reason, the largest group first. */
export function groupsOf(all: readonly SetAside[], flags: string): Group[] {
  const groups = Object.groupBy(all, ({ source, entry }) => JSON.stringify([source, entry.state, reasonOf(entry)]));
  return Object.values(groups)
    .flatMap((some = []) => (some[0] === undefined ? [] : [groupOf(some[0], some, flags)]))
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

function groupOf({ source, entry: { state, ...entry } }: SetAside, some: readonly SetAside[], flags: string): Group {
  const reason = reasonOf(entry);
  const isKept = ({ entry: { kept, keptKey } }: SetAside): boolean => kept !== undefined || keptKey !== undefined;
  const keptOnes = some.filter(isKept);
  const surveys = Object.values(Object.groupBy(some, ({ surveyId }) => surveyId)).map((own = []) => ({
    surveyId: own[0]?.surveyId ?? 0,
    name: own[0]?.name ?? null,
    count: own.length,
    ids: own.map((one) => one.entry.id),
  }));
  const [first] = surveys;
  const next =
    reason === OF_NOBODY
      ? `show ${first?.ids[0]} --survey ${first?.surveyId} --source ${source} --reveal`
      : `redrive --all --reason ${quoted(reason)} --source ${source}`;
  return {
    ...{ source, state, reason, count: some.length, kept: keptOnes.length, surveys },
    oldest: least(some.flatMap((one) => one.entry.firstSeen ?? [])),
    recordsGo: least(keptOnes.flatMap((one) => one.entry.nextCheck ?? [])),
    ...meaningOf(state, reason),
    next: `survey-poller quarantine ${next} ${flags}`,
  };
}

function least(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
}

/** No redrive helps. */
const OF_NOBODY = "unreadable responseId";

const UNREADABLE: Record<string, Meaning> = {
  "unreadable completed": {
    meaning: "`completed` is neither 0 nor 1: nobody knows whether it is finished.",
    mend: "Tell the operator of the survey service. Once it reads as 1 it goes out by itself; what a newer version can read, by a redrive.",
  },
  [OF_NOBODY]: {
    meaning: "A record that belongs to nobody knows which response, whose event may have gone out without it.",
    mend: "Find its response by hand, by question and date: look at it with --reveal.",
  },
};
const UNKNOWN: Meaning = {
  meaning: "It cannot be read as documented.",
  mend: "Deploy a version that can, then redrive.",
};

const REFUSED: Record<string, Partial<Meaning>> = {
  TooLarge: {
    meaning:
      "The event is over 1 MB even without its answers: metrics or metadata of that size are the doing of the service.",
    mend: "Switch metrics or metadata off (`enrich`), deploy, then redrive.",
  },
  ValidationException: { meaning: "EventBridge takes no such entry. Report it: the poller makes none." },
};

/** The meaning of this state with this reason: a code of the bus where it has refused them. */
export function meaningOf(state: LedgerEntry["state"], reason: string): Meaning {
  if (state === "quarantined") return UNREADABLE[reason] ?? UNKNOWN;
  const what =
    state === "emitted"
      ? "Its event stands; the bus has refused the one that was to replace it."
      : "The bus has refused its event for good.";
  const { meaning, mend = "Mend the cause (the bus, or a newer version), then redrive." } = REFUSED[reason] ?? {};
  return { meaning: [what, meaning].filter((part) => part !== undefined).join(" "), mend };
}
