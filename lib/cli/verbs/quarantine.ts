import { Command } from "@commander-js/extra-typings";
import { reasonOf, type SurveyRedrive } from "../../operator/redrive.ts";
import { isForRedrive, type LedgerEntry, takeOut } from "../../polling/index.ts";
import { readMark } from "../../state/leases.ts";
import { redriveEntries } from "../../state/ledger.ts";
import { CommandError, EXIT, InterruptedError, UsageError } from "../errors.ts";
import { type Io, showProgress } from "../io.ts";
import { askingAws } from "../target/aws-failure.ts";
import { openTarget } from "../target/open-target.ts";
import { entriesOf, findResponse, fromTable, ledgersOf, type SurveyOf } from "../target/surveys.ts";
import { oneSource, type Target } from "../target/target.ts";
import { type Answer, responseId, surveyId, surveyIds, targetVerb, type Verb, yesOption } from "../verb.ts";
import { ago, columns, count, day, nextCommand, quoted, surveyName } from "../words.ts";

const SUMMARY = "responses that were set aside: quarantined, or refused by the bus";
const HELP = `
Examples:
  survey-poller quarantine list --stack SurveyPoller
  survey-poller quarantine redrive --all --yes`;

export const quarantineVerb: Verb = (act) =>
  new Command("quarantine")
    .summary(SUMMARY)
    .description(SUMMARY)
    .addCommand(listVerb(act))
    .addCommand(showVerb(act))
    .addCommand(redriveVerb(act))
    .addHelpText("after", HELP);

const LIST_HELP = `
Exit code 0, also where there is something: the books count it.

Examples:
  survey-poller quarantine list --stack SurveyPoller
  survey-poller quarantine list --survey 101 --json`;

const listVerb: Verb = (act) =>
  targetVerb("list", "what was set aside, by reason, with what mends it", LIST_HELP)
    .option("--survey <id>", "only this survey", surveyId)
    .option("--source <name>", "only this source")
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const found = await readSetAside(target, options, io);
        const data: ListAnswer = { total: found.length, groups: groupsOf(found, target.flags) };
        return { data, text: listText(data, io) };
      }),
    );

/** The output of `quarantine list --json`, beside `schemaVersion`. */
export interface ListAnswer {
  total: number;
  groups: Group[];
}

const both = (number: number): string => count(number, "response or record", "responses and records");

function listText({ total, groups }: ListAnswer, io: Pick<Io, "style" | "now">): string[] {
  if (total === 0) return ["Nothing is set aside."];
  return [
    `${both(total)} set aside; they are accounted for.`,
    ...groups.flatMap((group) => ["", ...groupText(group, io)]),
    "",
    "docs/runbook.md says what each reason means, and what to do before a redrive.",
  ];
}

/** Ids that are named of one survey. */
const NAMED = 8;

function groupText(group: Group, { style, now }: Pick<Io, "style" | "now">): string[] {
  const { source, state, reason, oldest, kept, recordsGo, next, surveys } = group;
  const since = oldest === null ? "" : `, the oldest ${ago(oldest, now())}`;
  const first = recordsGo === null ? "" : `; the first go on ${day(recordsGo)}`;
  return [
    `${style("yellow", "▲")} ${reason} (${state}, source ${source}): ${group.count}${since}`,
    ...surveys.map(({ ids, ...survey }) => {
      const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : "";
      return `  ${surveyName(survey)}: ${ids.slice(0, NAMED).join(", ")}${more}`;
    }),
    kept === 0 ? "  No records are kept any more." : `  Records of ${kept} are kept${first}.`,
    `  Next: ${next}`,
  ];
}

const SHOW_HELP = `
Examples:
  survey-poller quarantine show 45942 --stack SurveyPoller
  survey-poller quarantine show 45942 --reveal --json`;

const showVerb: Verb = (act) =>
  targetVerb("show", "one response that was set aside, and what is kept of it", SHOW_HELP)
    .argument("<response>", "a responseId, or the id of a record that list shows", responseId)
    .option("--survey <id>", "its survey, where several have such a response", surveyId)
    .option("--source <name>", "its source")
    .option("--reveal", "show what is kept as it was read: this is personal data")
    .action((id, options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const found = await findResponse(target, await ledgersOf(target, options), id);
        if (found?.entry === undefined) {
          const next = nextCommand("quarantine list", target);
          const message = `${target.name} has no entry of response ${id}`;
          throw new CommandError("RESPONSE_NOT_FOUND", message, { hint: "It was never met.", next });
        }
        const { source, surveyId: survey, name, entry } = found;
        const ports = { vault: target.bucket };
        const kept = await askingAws("what is kept could not be read", () => takeOut({ ports }, entry));
        const shown = options.reveal === true ? kept : undefined;
        const data: ShowAnswer = {
          ...{ source, surveyId: survey, name, id, state: entry.state },
          reason: entry.refusedRevision ?? entry.reason ?? null,
          since: entry.firstSeen ?? null,
          attempts: entry.attempts ?? null,
          kept: kept === undefined ? null : entry.keptKey === undefined ? "table" : "bucket",
          recordsGo: kept === undefined || !isForRedrive(entry) ? null : (entry.nextCheck ?? null),
          ...{ records: shown?.records ?? null, details: shown?.details ?? null },
        };
        return { data, text: showText(data, kept?.records.length, io) };
      }),
    );

/** The output of `quarantine show --json`. Times are epoch milliseconds. */
export interface ShowAnswer extends SurveyOf, Pick<LedgerEntry, "id" | "state"> {
  name: string | null;
  reason: string | null;
  since: number | null;
  attempts: number | null;
  /** Where its records lie; null where none are kept. */
  kept: "table" | "bucket" | null;
  recordsGo: number | null;
  /** The records as they were read, and the metrics and metadata as far as they are kept: only with --reveal. */
  records: unknown[] | null;
  details: unknown;
}

function showText(answer: ShowAnswer, size: number | undefined, { now }: Pick<Io, "now">): string[] {
  const { source, id, state, reason, since, attempts, kept, recordsGo, records, details } = answer;
  const until = recordsGo === null ? "" : `, until ${day(recordsGo)}; the entry stays`;
  const lines = columns([
    ["state", `${state}${since === null ? "" : `, since ${new Date(since).toISOString()} (${ago(since, now())})`}`],
    ...(reason === null ? [] : [["reason", reason]]),
    ...(attempts === null ? [] : [["attempts", `${attempts} so far`]]),
    ["records", size === undefined ? "none are kept" : `kept in the ${kept}: ${size}${until}`],
  ]);
  return [
    `Response ${id} of ${surveyName(answer)}, source ${source}`,
    ...lines.map((line) => `  ${line}`),
    ...[...(records ?? []), ...(details === null ? [] : [details])].map((one) => JSON.stringify(one)),
    ...(size === undefined || records !== null ? [] : ["--reveal shows the records as they were read."]),
  ];
}

const REDRIVE_HELP = `
Examples:
  survey-poller quarantine redrive --survey 101 102 --stack SurveyPoller
  survey-poller quarantine redrive --all --reason TooLarge --yes`;

const redriveVerb: Verb = (act) =>
  targetVerb("redrive", "puts what was set aside back on its way; it goes out at the next tick", REDRIVE_HELP)
    .option("--survey <ids...>", "of these surveys", surveyIds)
    .option("--all", "of all surveys")
    .option("--reason <reason>", "only those with this reason, as list shows it")
    .option("--source <name>", "the source, where there are several")
    .addOption(yesOption())
    .action((options) =>
      act(options, async (io) => {
        const { survey, all, reason } = options;
        if ((survey === undefined) === (all !== true)) {
          const hint = "Give --survey with the ids of some, or --all.";
          throw new UsageError(all ? "--survey and --all exclude each other" : "no survey is named", { hint });
        }
        await using target = await openTarget(options, io);
        const { name: source } = await oneSource(target, options.source);
        const found = await readSetAside(target, { source, survey, reason }, io);
        const names = new Map(found.map(({ surveyId, name }) => [surveyId, name]));
        const dryRun = options.yes !== true;
        const done = dryRun ? [] : await redrive(target, { source, surveyIds: [...names.keys()], reason }, io);
        const surveys = done.map((one) => ({ name: names.get(one.surveyId) ?? null, ...one }));
        const data = { dryRun, source, total: found.length, groups: groupsOf(found, target.flags), surveys };
        return { data, text: redriveText(data), exit: redriveExit(done), isDry: dryRun && found.length > 0 };
      }),
    );

/** The output of `quarantine redrive --json`, beside `schemaVersion`. */
export interface RedriveAnswer extends ListAnswer {
  dryRun: boolean;
  source: string;
  /** What became of them; none in a dry run. */
  surveys: (SurveyRedrive & { name: string | null })[];
}

/** Put back: all of it. Not now: some of it may be later. Failed: none of what is left ever will. */
function redriveExit(all: readonly SurveyRedrive[]): NonNullable<Answer["exit"]> {
  const ended = (...outcomes: SurveyRedrive["outcome"][]): boolean =>
    all.some(({ outcome }) => outcomes.includes(outcome));
  if (ended("failed", "not polled")) return EXIT.failed;
  if (ended("busy", "unfinished") || all.some(({ left }) => left.failed > 0)) return EXIT.notNow;
  return all.some(({ left }) => sumOf(left) > 0) ? EXIT.failed : EXIT.done;
}

const sumOf = (left: SurveyRedrive["left"]): number => Object.values(left).reduce((sum, number) => sum + number, 0);

/** Asks again for what an invocation had no time for, as long as that puts something back. */
async function redrive(
  target: Target,
  { source, surveyIds: all, reason }: { source: string; surveyIds: number[]; reason: string | undefined },
  io: Io,
): Promise<SurveyRedrive[]> {
  const results = new Map<number, SurveyRedrive>();
  using progress = showProgress(io);
  for (let left = all, isFurther = true; left.length > 0 && isFurther; ) {
    if (io.signal.aborted) throw new InterruptedError();
    progress.update(`putting back: ${all.length - left.length} of ${all.length} surveys`, 1 - left.length / all.length);
    const { surveys } = await target.operate(source, "redrive", { surveyIds: left, reason });
    for (const survey of surveys) {
      // What stays where it is was looked at once more.
      const before = results.get(survey.surveyId)?.putBack ?? 0;
      results.set(survey.surveyId, { ...survey, putBack: before + survey.putBack });
    }
    isFurther = surveys.some(({ outcome, putBack }) => outcome === "done" || putBack > 0);
    left = surveys.filter(({ outcome }) => outcome === "unfinished").map(({ surveyId }) => surveyId);
  }
  return [...results.values()];
}

const LEFT: Record<keyof SurveyRedrive["left"], string> = {
  unreadable:
    "cannot be read by this version either, or is a single record, or of a survey whose records may lie apart",
  withoutRecords: "was never readable, and its records were dropped when their time was over (retention.quarantine)",
  beforeStart: "was completed before the start: it never goes out",
  failed: "has records that could not be read now",
};

const OUTCOMES: Partial<Record<SurveyRedrive["outcome"], string>> = {
  busy: "is being polled just now: try again in a minute",
  unfinished: "is not done yet: run it again to go on",
  "not polled":
    "is left out by the source's `surveys`, and nothing put back would go out: take it in, deploy, and redrive again",
};

/** The responses that would be put back, by reason. Or those that were, by survey, with those that are left and why. */
export function redriveText({ dryRun, total, groups, surveys }: RedriveAnswer): string[] {
  if (total === 0) return ["Nothing is set aside there."];
  if (dryRun) {
    const rows = groups.map((one) => [`${one.count}`, one.reason, one.state, `records of ${one.kept} kept`]);
    return [`${both(total)} would be tried:`, ...columns(rows).map((row) => `  ${row}`)];
  }
  const back = surveys.reduce((sum, { putBack }) => sum + putBack, 0);
  return [
    ...surveys.flatMap(({ outcome, putBack, left, failure, ...survey }) => [
      `${surveyName(survey)}: ${putBack} put back, ${sumOf(left)} left`,
      ...Object.entries(left).flatMap(([why, number]) => (number > 0 ? [`  ${number} ${LEFT[why as "failed"]}`] : [])),
      ...(OUTCOMES[outcome] === undefined ? [] : [`  It ${OUTCOMES[outcome]}.`]),
      ...(failure === undefined ? [] : [`  It failed (${failure.code}): ${failure.message}`]),
    ]),
    back === 0 ? "Nothing was put back." : `${count(back, "response")} put back: they go out at the next tick.`,
  ];
}

/** A response that was set aside. */
interface SetAside extends SurveyOf {
  name: string | null;
  entry: LedgerEntry;
}

/** Reads ledgers for what was set aside: there is no index of all of it. */
async function readSetAside(
  target: Target,
  { reason, ...wanted }: Parameters<typeof ledgersOf>[1] & { reason?: string | undefined },
  io: Io,
): Promise<SetAside[]> {
  const found: SetAside[] = [];
  using progress = showProgress(io);
  const surveys = await ledgersOf(target, wanted);
  for (const [i, survey] of surveys.entries()) {
    for await (const entries of entriesOf(target, survey, redriveEntries, io)) {
      progress.update(`reading the ledger of survey ${survey.surveyId}`, i / surveys.length);
      const meant = entries.filter((entry) => reason === undefined || reasonOf(entry) === reason);
      if (meant.length === 0) continue;
      const mark = await fromTable(() => readMark(target.table, survey.source, survey.surveyId));
      const of = { ...survey, name: mark.survey?.facts.name ?? null };
      found.push(...meant.map((entry) => ({ ...of, entry })));
    }
  }
  return found;
}

/** By source, state and reason, the largest group first. */
export function groupsOf(all: readonly SetAside[], flags: string) {
  return Map.groupBy(all, ({ source, entry }) => JSON.stringify([source, entry.state, reasonOf(entry)]))
    .values()
    .map((some) => groupOf(some, flags))
    .toArray()
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

/** All that was set aside for one reason. An id is a responseId, or that of a record of nobody knows which response. */
export type Group = ReturnType<typeof groupOf>;

function groupOf(some: readonly SetAside[], flags: string) {
  const [{ source, entry }] = some as [SetAside];
  const reason = reasonOf(entry);
  const isKept = ({ entry: { kept, keptKey } }: SetAside): boolean => kept !== undefined || keptKey !== undefined;
  const keptOnes = some.filter(isKept);
  const surveys = [...Map.groupBy(some, (one) => one.surveyId)].map(([surveyId, own]) => ({
    ...{ surveyId, name: own[0]?.name ?? null, count: own.length, ids: own.map((one) => one.entry.id) },
  }));
  const [first] = surveys;
  const next =
    reason === OF_NOBODY
      ? nextCommand(`quarantine show ${first?.ids[0]}`, { surveyId: first?.surveyId ?? 0, source, flags }, "--reveal")
      : nextCommand(`quarantine redrive --all --reason ${quoted(reason)}`, { source, flags });
  return {
    // Emitted where the replacement of its event was refused.
    ...{ source, state: entry.state, reason, count: some.length, kept: keptOnes.length, surveys },
    // When the first of them was set aside, where that is known; and when the first kept records are dropped.
    oldest: least(some.flatMap((one) => one.entry.firstSeen ?? [])),
    recordsGo: least(keptOnes.flatMap((one) => one.entry.nextCheck ?? [])),
    next,
  };
}

function least(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((a, b) => Math.min(a, b));
}

/** No redrive helps. */
const OF_NOBODY = "unreadable responseId";
