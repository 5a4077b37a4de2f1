import { createBucket } from "../../../lib/aws/bucket.ts";
import { isForgotten } from "../../../lib/operator/forgotten.ts";
import { reasonOf } from "../../../lib/operator/set-aside.ts";
import { takeOut } from "../../../lib/polling/ledger/kept-records.ts";
import { isForRedrive, type LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import { responseId, surveyId } from "../../arguments.ts";
import { CommandError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { surveyName } from "../../printable.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { findResponse } from "../../target/find-response.ts";
import { openTarget } from "../../target/open-target.ts";
import type { Target } from "../../target/target.ts";
import { examples, targetVerb, type Verb } from "../../verb.ts";
import { ago, columns } from "../../words.ts";
import type { ShowAnswer } from "./answers.ts";
import { dayOf } from "./list.ts";
import { masked } from "./mask.ts";
import { meaningOf } from "./meanings.ts";

export const showVerb: Verb = (act) =>
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
        if (found?.entry === undefined) throw notFound(id, target);
        const { source, surveyId: survey, name, entry } = found;
        const kept = await keptOf(target, entry);
        const isRevealed = options.reveal === true;
        const answer: ShowAnswer = {
          source,
          surveyId: survey,
          name,
          id,
          state: entry.state,
          reason: entry.refusedRevision ?? entry.reason ?? null,
          since: entry.firstSeen ?? null,
          attempts: entry.attempts ?? null,
          kept: kept === undefined ? null : entry.keptKey === undefined ? "table" : "bucket",
          recordsGo: kept === undefined || !isForRedrive(entry) ? null : (entry.nextCheck ?? null),
          revealed: isRevealed,
          records: kept === undefined ? null : isRevealed ? kept.records : kept.records.map(masked),
          details: isRevealed ? (kept?.details ?? null) : null,
        };
        return { data: answer, text: showText(answer, entry, io) };
      }),
    );

function notFound(id: LedgerEntry["id"], { name, flags }: Target): CommandError {
  return new CommandError("RESPONSE_NOT_FOUND", `${name} has no entry of response ${id}`, {
    hint: "It was never met.",
    next: `survey-poller quarantine list ${flags}`,
  });
}

function keptOf({ clients, resources }: Target, entry: LedgerEntry) {
  const vault = createBucket(clients.s3, resources.claimCheckBucket);
  return askingAws("what is kept could not be read", () => takeOut({ ports: { vault } }, entry));
}

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
