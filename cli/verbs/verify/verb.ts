import { surveyId } from "../../arguments.ts";
import { EXIT } from "../../exit-codes.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { stretchOf } from "../../moments.ts";
import { quoted } from "../../shell-text.ts";
import { openTarget } from "../../target/open-target.ts";
import type { Target } from "../../target/target.ts";
import { type Answer, DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { count } from "../../words.ts";
import type { ResentItem } from "../resend/answer.ts";
import { wantedOf } from "../resend/resolve.ts";
import { sendAgain } from "../resend/send-again.ts";
import { exitOf, itemLines, sentenceOf } from "../resend/text.ts";
import type { MissingEvent, VerifyAnswer } from "./answer.ts";
import { checkList } from "./read-list.ts";
import { missingLines, unknownWarning } from "./text.ts";
import { type VerifyOptions, verify } from "./verify.ts";

const EXITS = {
  complete: EXIT.done,
  missing: EXIT.unaccounted,
  "on-its-way": EXIT.notNow,
  unknown: EXIT.notNow,
};

interface Options extends VerifyOptions {
  resend?: true | undefined;
  yes?: true | undefined;
}

export const verifyVerb: Verb = (act) =>
  targetVerb("verify", "compares the event ids of a consumer with the ledger")
    .option("--ids <file>", "its ids, one a line, or events as NDJSON, or CSV; - is stdin")
    .option("--dynamodb <table>", "its table: TABLE or TABLE:attribute (else partition key)")
    .option("--s3 <prefix>", "its objects: s3://bucket/prefix, each named by its event id")
    .option("--s3-contents", "the ids stand in the objects, and not in their names")
    .option("--dlq <url>", "a dead-letter queue, which is read and left as it is")
    .option("--as-of <time>", "when the list was taken (default: time of the file, or now)")
    .option("--source <name>", "only this source")
    .option("--survey <id>", "only this survey", surveyId)
    .option("--from <time>", "only what was emitted since")
    .option("--to <time>", "only what was emitted until then")
    .option("--resend", "send what is missing once more")
    .addOption(yesOption())
    .addHelpText(
      "after",
      examples(
        "verify --stack SurveyPoller --dynamodb crm-events:eventId --dlq https://sqs…/crm-dead",
        "verify --data .survey-poller --ids events.jsonl --resend --yes",
      ),
    )
    .action((options) =>
      act(options, async (io) => {
        checkList(options);
        stretchOf(options);
        if (options.yes === true && options.resend !== true) {
          throw new UsageError("--yes belongs to --resend", { hint: "Without --resend nothing is changed." });
        }
        await using target = await openTarget(options, io);
        const found = await verify(target, io, options);
        if (found.unknown !== null && found.unknown.length > 0) io.say(unknownWarning(found.unknown));
        if (found.list.unreadable > 0)
          io.say(`${count(found.list.unreadable, "entry", "entries")} without an event id in ${found.list.from}.`);
        return options.resend === true
          ? await resendMissing(target, io, found, options)
          : tell(found, nextOf(found, target, options));
      }),
    );

function tell(found: VerifyAnswer, next: string | null): Answer {
  return {
    data: { ...found, next },
    text: [found.sentence, ...missingLines(found.missing), ...(next === null ? [] : [`Next: ${next}`])],
    exit: EXITS[found.verdict],
  };
}

/** Sends missing events again. An event that may still be on its way is left alone. */
async function resendMissing(target: Target, io: Io, found: VerifyAnswer, { yes }: Options): Promise<Answer> {
  const due = found.missing.filter(({ cause }) => cause !== "on-its-way").map(toSend);
  if (due.length === 0) return tell(found, null);
  const dryRun = yes !== true;
  if (dryRun) io.say(DRY_RUN);
  const items = dryRun ? due : await sendAgain(target, io, wantedOf(due));
  const sentence = sentenceOf(items, dryRun);
  const isMended = !dryRun && exitOf(items) === EXIT.done;
  return {
    data: { ...found, resend: { dryRun, sentence, items } },
    text: [
      found.sentence,
      ...missingLines(found.missing),
      sentence,
      ...(dryRun
        ? []
        : itemLines(
            items.filter(({ outcome }) => outcome !== "sent"),
            target,
          )),
      ...(isMended ? ["Verify again in a minute: what was sent is on its way."] : []),
    ],
    // Only what was sent is accounted for.
    exit: isMended ? EXIT.done : EXIT.unaccounted,
  };
}

function toSend({ source, surveyId, responseId, eventId, revision }: MissingEvent): ResentItem {
  return { source, surveyId, responseId, eventId, revision, outcome: "would-send", reason: null, update: null };
}

/** The command that mends it: to send what is missing, or to compare with a list as of another time. */
function nextOf({ verdict, list: { notBefore } }: VerifyAnswer, target: Target, options: Options): string | null {
  if (verdict === "missing") return commandLine(target, options, ["--resend"]);
  return notBefore === null ? null : commandLine(target, { ...options, asOf: new Date(notBefore).toISOString() }, []);
}

/** The same once more; null where it was read from standard input. */
function commandLine({ flags }: Target, options: Options, more: readonly string[]): string | null {
  if (options.ids === "-") return null;
  const { ids, dynamodb, s3, dlq, asOf, source, survey, from, to } = options;
  const values = { ids, dynamodb, s3, dlq, "as-of": asOf, source, survey, from, to };
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(`${value}`)}`],
  );
  const contents = options.s3Contents === true ? ["--s3-contents"] : [];
  return ["survey-poller verify", flags, ...given, ...contents, ...more].join(" ");
}
