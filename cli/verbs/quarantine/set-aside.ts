import type { SurveyRedrive } from "../../../lib/operator/redrive.ts";
import { reasonOf } from "../../../lib/operator/set-aside.ts";
import type { EntryState, LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import { surveyKey } from "../../../lib/state/keys.ts";
import { redriveEntries } from "../../../lib/state/ledger.ts";
import { InterruptedError } from "../../errors.ts";
import { type Io, showProgress } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { noSurvey } from "../../target/responses.ts";
import { readSource, tableOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";

// Times are epoch milliseconds. An id is a responseId, or that of a record of nobody knows which response.

/** What was set aside for one reason. */
export interface Group {
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
  meaning: string;
  mend: string;
  next: string | null;
  surveys: { surveyId: number; name: string | null; count: number; ids: LedgerEntry["id"][] }[];
}

/** The output of `quarantine list --json`, beside `schemaVersion`. */
export interface ListAnswer {
  total: number;
  groups: Group[];
}

/** The output of `quarantine show --json`. */
export interface ShowAnswer {
  source: string;
  surveyId: number;
  name: string | null;
  id: LedgerEntry["id"];
  state: string;
  reason: string | null;
  since: number | null;
  attempts: number | null;
  /** Where its records lie; null where none are kept. */
  kept: "table" | "bucket" | null;
  recordsGo: number | null;
  revealed: boolean;
  /** Without --reveal masked: what is personal is only named. */
  records: unknown[] | null;
  /** Its metrics and metadata as far as they are kept; only with --reveal. */
  details: unknown;
}

interface Redriven extends Pick<SurveyRedrive, "surveyId" | "putBack"> {
  name: string | null;
  /** Null in a dry run. */
  outcome: SurveyRedrive["outcome"] | null;
  left: SurveyRedrive["left"] | null;
  failure: NonNullable<SurveyRedrive["failure"]> | null;
}

/** The output of `quarantine redrive --json`. */
export interface RedriveAnswer {
  dryRun: boolean;
  source: string;
  /** Set aside, before it. */
  total: number;
  reasons: Pick<Group, "state" | "reason" | "count" | "kept">[];
  surveys: Redriven[];
}

/** A response that was set aside. */
export interface SetAside {
  source: string;
  surveyId: number;
  name: string | null;
  entry: LedgerEntry;
}

interface Wanted {
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

const isKept = ({ kept, keptKey }: LedgerEntry): boolean => kept !== undefined || keptKey !== undefined;

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

/** The meaning of a reason for which responses are set aside, and who mends it how. */
interface Meaning {
  meaning: string;
  mend: string;
  /** Whether a redrive helps, once that is done. */
  redrive: boolean;
}

const UNREADABLE: Record<string, Meaning> = {
  "unreadable completed": {
    meaning: "`completed` is neither 0 nor 1: nobody knows whether it is finished.",
    mend: "Tell the operator of the survey service. Once it reads as 1 it goes out by itself; what a newer version can read, by a redrive.",
    redrive: true,
  },
  "unreadable responseId": {
    meaning: "A record that belongs to nobody knows which response, whose event may have gone out without it.",
    mend: "Find its response by hand, by question and date: look at it with --reveal.",
    redrive: false,
  },
};

const REFUSED: Record<string, string> = {
  TooLarge:
    "The event is over 1 MB even without its answers: metrics or metadata of that size are the doing of the service.",
  ValidationException: "EventBridge takes no such entry. Report it: the poller makes none.",
};

const MEND_REFUSED: Record<string, string> = {
  TooLarge: "Switch metrics or metadata off (`enrich`), deploy, then redrive.",
};

/** The meaning of this state with this reason: a code of the bus where it has refused them. */
export function meaningOf(state: EntryState, reason: string): Meaning {
  const known = state === "quarantined" ? UNREADABLE[reason] : undefined;
  if (known !== undefined) return known;
  if (state === "quarantined") {
    return {
      meaning: "It cannot be read as documented.",
      mend: "Deploy a version that can, then redrive.",
      redrive: true,
    };
  }
  const what =
    state === "emitted"
      ? "Its event stands; the bus has refused the one that was to replace it."
      : "The bus has refused its event for good.";
  return {
    meaning: [what, REFUSED[reason]].filter((part) => part !== undefined).join(" "),
    mend: MEND_REFUSED[reason] ?? "Mend the cause (the bus, or a newer version), then redrive.",
    redrive: true,
  };
}
