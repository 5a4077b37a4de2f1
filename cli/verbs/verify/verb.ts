import { EXIT, UsageError } from "../../errors.ts";
import { createIdSet } from "../../event-ids.ts";
import { type Io, showProgress } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { eachEmitted, ledgersOf } from "../../target/responses.ts";
import type { Target } from "../../target/target.ts";
import { type Answer, DRY_RUN, examples, stretchOf, surveyId, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { columns, count, quoted } from "../../words.ts";
import { exitOf, itemLines, type ResentItem, sendAgain, sentenceOf, wantedOf } from "../resend/send-again.ts";
import {
  createComparison,
  figuresOf,
  type MissingEvent,
  type VerifyAnswer,
  verdictOf,
  verdictText,
} from "./compare.ts";
import { checkList, type ListOptions, readDeadLetters, readList } from "./lists.ts";

const EXITS = {
  complete: EXIT.done,
  missing: EXIT.unaccounted,
  "on-its-way": EXIT.notNow,
  unknown: EXIT.notNow,
};

interface Options extends ListOptions {
  source?: string | undefined;
  survey?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  dlq?: string | undefined;
  resend?: true | undefined;
  yes?: true | undefined;
}

export const verifyVerb: Verb = (act) =>
  targetVerb("verify", "compares the event ids of a consumer with the ledger")
    .option("--ids <file>", "its ids, one a line, or events as NDJSON, or CSV; - is stdin")
    .option("--dynamodb <table>", "its table: TABLE or TABLE:attribute (else partition key)")
    .option("--s3 <prefix>", "its objects: s3://bucket/prefix, each named by its event id")
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
        const { unknown, list } = found;
        if (unknown !== null && unknown.length > 0) io.say(unknownWarning(unknown));
        if (list.unreadable > 0)
          io.say(`${count(list.unreadable, "entry", "entries")} without an event id in ${list.from}.`);
        return options.resend === true
          ? await resendMissing(target, io, found, options.yes !== true)
          : told(found, nextOf(found, target, options));
      }),
    );

/** Compares what a consumer has with the ledger. */
async function verify(target: Target, io: Io, options: Options): Promise<VerifyAnswer> {
  const { source, survey, from, to, dlq } = options;
  const stretch = stretchOf(options);
  const surveys = await ledgersOf(target, options);
  const progress = showProgress(io);
  const [ids, deadLetters] = [createIdSet(), createIdSet()];
  const reading = { signal: io.signal, tell: (text: string) => progress.update(text) };
  try {
    const list = await readList(target, options, io, { ...reading, ids });
    const size = ids.size;
    if (dlq !== undefined) {
      const { isAll, messages } = await readDeadLetters(target, dlq, { ...reading, ids: deadLetters });
      if (!isAll) io.say(`Only the first ${count(messages, "message")} of the dead-letter queue were read.`);
    }
    const { take, compared } = createComparison({ ids, deadLetters, asOf: list.asOf, stretch });
    await eachEmitted(target, surveys, io, (one, entries) => {
      take(one, entries);
      progress.update(`${count(compared.expected, "emitted response")} compared`);
    });
    const { missing, expected, emittedLater, notBefore } = compared;
    missing.sort((a, b) => a.surveyId - b.surveyId || a.responseId - b.responseId);
    const causes = figuresOf(missing);
    const asOf = Math.floor(list.asOf);
    const figures = { ...causes, expected, emittedLater, ids: size, asOf, notBefore };
    const isPart = source !== undefined || survey !== undefined;
    return {
      ...{ verdict: verdictOf(figures), sentence: verdictText(figures), next: null },
      list: { from: list.from, asOf, notBefore, ids: size, unreadable: list.unreadable },
      scope: {
        ...{ source: source ?? null, surveyId: survey ?? null },
        ...{ from: from === undefined ? null : stretch.from, to: to === undefined ? null : stretch.to },
      },
      ...causes,
      ...{ expected, emittedLater, missing, unknown: isPart ? null : [...ids.ids()].sort(), resend: null },
    };
  } finally {
    progress.end();
  }
}

function told(found: VerifyAnswer, next: string | null): Answer {
  return {
    data: { ...found, next },
    text: [found.sentence, ...missingLines(found.missing), ...(next === null ? [] : [`Next: ${next}`])],
    exit: EXITS[found.verdict],
  };
}

/** Sends missing events again. An event that may still be on its way is left alone. */
async function resendMissing(target: Target, io: Io, found: VerifyAnswer, dryRun: boolean): Promise<Answer> {
  const due = found.missing.flatMap(({ cause, emittedAt: _, has: __, ...event }): ResentItem[] =>
    cause === "on-its-way" ? [] : [{ ...event, outcome: "would-send", reason: null, update: null }],
  );
  if (due.length === 0) return told(found, null);
  if (dryRun) io.say(DRY_RUN);
  const items = dryRun ? due : await sendAgain(target, io, wantedOf(due));
  const left = items.filter(({ outcome }) => outcome !== "sent");
  const sentence = sentenceOf(items, dryRun);
  const isMended = !dryRun && exitOf(items) === EXIT.done;
  return {
    data: { ...found, resend: { dryRun, sentence, items } },
    text: [
      ...[found.sentence, ...missingLines(found.missing), sentence],
      ...(dryRun ? [] : itemLines(left, target)),
      ...(isMended ? ["Verify again in a minute: what was sent is on its way."] : []),
    ],
    // Only what was sent is accounted for.
    exit: isMended ? EXIT.done : EXIT.unaccounted,
  };
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
  return ["survey-poller verify", flags, ...given, ...more].join(" ");
}

const CAUSES: Record<MissingEvent["cause"], (one: MissingEvent) => string> = {
  "never-arrived": () => "never arrived",
  "dead-letter-queue": ({ has }) => `in the dead-letter queue${has === null ? "" : `; revision ${has} is there`}`,
  "older-revision": ({ has, revision }) => `older revision: ${has} instead of ${revision}`,
  "on-its-way": () => "may still be on its way",
};

/** A line for each missing event: survey, response, event id, cause. */
function missingLines(missing: readonly MissingEvent[]): string[] {
  return columns(
    missing.map((one) => [
      ...[`${one.surveyId}`, `${one.responseId}`, one.eventId, CAUSES[one.cause](one)],
      new Date(one.emittedAt).toISOString(),
    ]),
  );
}

/** The warning about ids that are no event of this poller. */
function unknownWarning(unknown: readonly string[]): string {
  const some = `${unknown.slice(0, 3).join(", ")}${unknown.length > 3 ? ", …" : ""}`;
  const are = unknown.length === 1 ? "is" : "are";
  return `Warning: ${count(unknown.length, "id")} of the consumer ${are} of no event that this poller knows (${some}).`;
}
