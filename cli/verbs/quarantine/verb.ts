import { Command } from "@commander-js/extra-typings";
import { createBucket } from "../../../lib/aws/bucket.ts";
import { isObject } from "../../../lib/events/build/fields.ts";
import { isForgotten } from "../../../lib/operator/forgotten.ts";
import { reasonOf } from "../../../lib/operator/put-back.ts";
import { isForRedrive, type LedgerEntry, takeOut } from "../../../lib/polling/index.ts";
import { CommandError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { openTarget } from "../../target/open-target.ts";
import { findResponse } from "../../target/responses.ts";
import { sourcesOf } from "../../target/target.ts";
import { examples, responseId, surveyId, targetVerb, type Verb } from "../../verb.ts";
import { ago, columns, count, surveyName } from "../../words.ts";
import { redriveVerb } from "./redrive.ts";
import { type Group, groupsOf, meaningOf, readSetAside } from "./set-aside.ts";

/** The output of `quarantine list --json`, beside `schemaVersion`. */
export interface ListAnswer {
  total: number;
  groups: Group[];
}

/** The output of `quarantine show --json`. Times are epoch milliseconds. */
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
  /** The metrics and metadata, as far as they are kept; only with --reveal. */
  details: unknown;
}

const SUMMARY = "responses that were set aside: quarantined, or refused by the bus";

export const quarantineVerb: Verb = (act) =>
  new Command("quarantine")
    .summary(SUMMARY)
    .description(SUMMARY)
    .addCommand(listVerb(act))
    .addCommand(showVerb(act))
    .addCommand(redriveVerb(act))
    .addHelpText("after", examples("quarantine list --stack SurveyPoller", "quarantine redrive --all --yes"));

/** Ids that are named of one survey. */
const NAMED = 8;

const listVerb: Verb = (act) =>
  targetVerb("list", "what was set aside, by reason, with what mends it")
    .option("--survey <id>", "only this survey", surveyId)
    .option("--source <name>", "only this source")
    .addHelpText("after", "\nExit code 0, also where there is something: the books count it.")
    .addHelpText("after", examples("quarantine list --stack SurveyPoller", "quarantine list --survey 101 --json"))
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const sources = (await sourcesOf(target, options.source)).map(({ name }) => name);
        const surveyIds = options.survey === undefined ? undefined : [options.survey];
        const found = await readSetAside(target, { sources, surveyIds }, io);
        const answer = { total: found.length, groups: groupsOf(found, target.flags) };
        return { data: answer, text: listText(answer, io) };
      }),
    );

function listText({ total, groups }: ListAnswer, io: Pick<Io, "style" | "now">): string[] {
  if (total === 0) return ["Nothing is set aside."];
  const what = `${count(total, "response or record", "responses and records")} set aside; they are accounted for.`;
  return [what, ...groups.flatMap((group) => ["", ...groupText(group, io)])];
}

function groupText(group: Group, { style, now }: Pick<Io, "style" | "now">): string[] {
  const { source, state, reason, oldest, kept, recordsGo, meaning, mend, next, surveys } = group;
  const since = oldest === null ? "" : `, the oldest ${ago(oldest, now())}`;
  const records =
    kept === 0
      ? "No records are kept any more."
      : `Records of ${kept} are kept${recordsGo === null ? "" : `; the first go on ${dayOf(recordsGo)}`}.`;
  return [
    `${style("yellow", "▲")} ${reason} (${state}, source ${source}): ${group.count}${since}`,
    ...surveys.map(({ ids, ...survey }) => {
      const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : "";
      return `  ${surveyName(survey)}: ${ids.slice(0, NAMED).join(", ")}${more}`;
    }),
    `  ${meaning} ${records}`,
    `  ${mend}`,
    `  Next: ${next}`,
  ];
}

/** "2026-08-30". */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

const showVerb: Verb = (act) =>
  targetVerb("show", "one response that was set aside, and what is kept of it")
    .argument("<response>", "a responseId, or the id of a record that list shows", responseId)
    .option("--survey <id>", "its survey, where several have such a response", surveyId)
    .option("--source <name>", "its source")
    .option("--reveal", "show what is kept as it was read: this is personal data")
    .addHelpText(
      "after",
      examples("quarantine show 45942 --stack SurveyPoller", "quarantine show 45942 --reveal --json"),
    )
    .action((id, options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const found = await findResponse(target, id, options);
        if (found?.entry === undefined) {
          const next = `survey-poller quarantine list ${target.flags}`;
          const message = `${target.name} has no entry of response ${id}`;
          throw new CommandError("RESPONSE_NOT_FOUND", message, { hint: "It was never met.", next });
        }
        const { source, surveyId: survey, name, entry } = found;
        const vault = createBucket(target.clients.s3, target.resources.claimCheckBucket);
        const kept = await askingAws("what is kept could not be read", () => takeOut({ ports: { vault } }, entry));
        const revealed = options.reveal === true;
        const answer: ShowAnswer = {
          ...{ source, surveyId: survey, name, id, state: entry.state, revealed },
          reason: entry.refusedRevision ?? entry.reason ?? null,
          since: entry.firstSeen ?? null,
          attempts: entry.attempts ?? null,
          kept: kept === undefined ? null : entry.keptKey === undefined ? "table" : "bucket",
          recordsGo: kept === undefined || !isForRedrive(entry) ? null : (entry.nextCheck ?? null),
          records: (revealed ? kept?.records : kept?.records.map(masked)) ?? null,
          details: revealed ? (kept?.details ?? null) : null,
        };
        return { data: answer, text: showText(answer, entry, io) };
      }),
    );

function showText(answer: ShowAnswer, entry: LedgerEntry, { now }: Pick<Io, "now">): string[] {
  const { source, id, state, reason, since, attempts, kept, recordsGo, revealed, records } = answer;
  const until = recordsGo === null ? "" : `, until ${dayOf(recordsGo)}; the entry stays`;
  const lines = columns([
    ["state", `${state}${since === null ? "" : `, since ${new Date(since).toISOString()} (${ago(since, now())})`}`],
    ...(reason === null ? [] : [["reason", `${reason}. ${meaningText(entry)}`.trim()]]),
    ...(attempts === null ? [] : [["attempts", `${attempts} so far`]]),
    ["records", records === null ? "none are kept" : `kept in the ${kept}: ${records.length}${until}`],
  ]);
  return [
    `Response ${id} of ${surveyName(answer)}, source ${source}`,
    ...lines.map((line) => `  ${line}`),
    ...(records ?? []).map((record) => JSON.stringify(record)),
    ...(revealed && answer.details !== null ? [JSON.stringify(answer.details)] : []),
    ...(records === null || revealed ? [] : ["Masked: --reveal shows the records as they were read."]),
  ];
}

function meaningText(entry: LedgerEntry): string {
  if (isForRedrive(entry)) return meaningOf(entry.state, reasonOf(entry)).meaning;
  return isForgotten(entry) ? "Nothing else is held of it." : "It is not set aside.";
}

/** Fields of a record that tell which one it is, and whether it is completed. */
const SHOWN = ["responseId", "surveyId", "questionId", "completed", "dateStart", "dateCompleted"];
/** The other documented ones: their names say nothing of anybody. */
const MASKED = ["iso3166", "crk", "promoCode", "answer", "comment", "score", "matrixScore"];
/** Longer text is none of what `SHOWN` is documented to be. */
const LONGEST = 40;

/** A record without anything personal: ids, dates and `completed`, and the names of what else it holds. */
export function masked(record: unknown): object {
  if (!isObject(record)) return { masked: [kindOf(record)] };
  const shown = SHOWN.flatMap((name) => (Object.hasOwn(record, name) ? [[name, plain(record[name])]] : []));
  const others = Object.keys(record).filter((name) => !SHOWN.includes(name));
  const named = others.filter((name) => MASKED.includes(name));
  const foreign = others.length - named.length;
  return {
    ...Object.fromEntries(shown),
    masked: [...named, ...(foreign === 0 ? [] : [`${foreign} undocumented`])],
  };
}

/** A value that is small; of any other only what it is. */
function plain(value: unknown): unknown {
  const isSmall = typeof value === "string" ? value.length <= LONGEST : value === null || typeof value !== "object";
  return isSmall ? value : `(${kindOf(value)})`;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return `text of ${value.length} characters`;
  return Array.isArray(value) ? `list of ${value.length}` : value === null ? "null" : typeof value;
}
