import { AwsFailure } from "../../../aws/failure.ts";
import type { EmittedResponse } from "../../../polling/index.ts";
import { EXIT, UsageError } from "../../errors.ts";
import { olderEventIds } from "../../event-ids.ts";
import { type Io, showProgress } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { type Flags, openTarget } from "../../target/open-target.ts";
import { eachEmitted, ledgersOf, type SurveyOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import { type Answer, surveyId, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { columns, count, figure, named, quoted, utc } from "../../words.ts";
import { exitOf, itemLines, type ResentItem, sendAgain, sentenceOf } from "../resend.ts";
import { verifyBuckets } from "./buckets.ts";
import { chosenList, type ListOptions, type OpenList, readDeadLetters, readList } from "./lists.ts";

const EXITS = {
  complete: EXIT.done,
  missing: EXIT.unaccounted,
  "on-its-way": EXIT.notNow,
  unknown: EXIT.notNow,
};

interface Options extends Flags, ListOptions {
  dlq?: string | undefined;
  buckets?: true | undefined;
  events?: string | undefined;
}

const HELP = `
Examples:
  survey-poller verify --stack SurveyPoller --dynamodb crm-events:eventId --dlq https://sqs…/crm-dead
  survey-poller verify --data .survey-poller --ids events.jsonl --resend --yes
  survey-poller verify --buckets --ids mine.csv --events events.jsonl`;

export const verifyVerb: Verb = (act) =>
  targetVerb("verify", "compares the event ids of a consumer with the ledger", HELP)
    .option("--ids <file>", "its ids, one a line, or events as NDJSON, or CSV; - is stdin")
    .option("--dynamodb <table>", "its table: TABLE or TABLE:attribute (else partition key)")
    .option("--s3 <prefix>", "its objects: s3://bucket/prefix, each named by its event id")
    .option("--dlq <url>", "a dead-letter queue, which is read and left as it is")
    .option("--buckets", "by the books in the files alone: needs no poller and no AWS")
    .option("--events <file>", "with --buckets: events as NDJSON that others have, and their books")
    .option("--as-of <time>", "when the list was taken (default: time of the file, or now)")
    .option("--source <name>", "only this source")
    .option("--survey <id>", "only this survey", surveyId)
    .option("--resend", "send what is missing once more")
    .addOption(yesOption())
    .action((options) =>
      act(options, async (io) => {
        checkBuckets(options);
        if (options.buckets === true) return verifyBuckets(options, io);
        const openList = chosenList(options);
        if (options.yes === true && options.resend !== true) {
          throw new UsageError("--yes belongs to --resend", { hint: "Without --resend nothing is changed." });
        }
        await using target = await openTarget(options, io);
        const found = await verify(target, io, options, openList);
        const { unknown, list } = found;
        if (unknown !== null && unknown.length > 0) {
          const ids = `${count(unknown.length, "id")} of the consumer ${unknown.length === 1 ? "is" : "are"}`;
          io.say(`Warning: ${ids} of no event that this poller knows (${named(unknown, 3)}).`);
        }
        if (list.unreadable > 0)
          io.say(`${count(list.unreadable, "entry", "entries")} without an event id in ${list.from}.`);
        return options.resend === true ? await resendMissing(target, io, found, options.yes !== true) : told(found);
      }),
    );

/** @throws UsageError for a flag that is of one of the two ways alone */
function checkBuckets({ buckets, ids: _, json: __, events, ...others }: Options & { json?: true | undefined }): void {
  if (buckets !== true && events !== undefined) {
    throw new UsageError("--events belongs to --buckets", { hint: "Say what the consumer has with --ids." });
  }
  const more = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (buckets === true && more.length > 0) {
    const hint = "With --buckets give --ids and --events: it reads files alone.";
    throw new UsageError(`--${more[0]} does not go with --buckets`, { hint });
  }
}

/** The output of `verify --json`, beside `schemaVersion`. */
export interface VerifyAnswer extends Omit<Found, "resend"> {
  resend: { dryRun: boolean; sentence: string; items: ResentItem[] } | null;
}

type Found = Awaited<ReturnType<typeof verify>>;

async function verify(target: Target, io: Io, options: Options, openList: OpenList) {
  const { source, survey, dlq } = options;
  const surveys = await ledgersOf(target, options);
  using progress = showProgress(io);
  const [ids, deadLetters] = [new Set<string>(), new Set<string>()];
  const tell = (text: string) => progress.update(text);
  const { from, asOf, unreadable } = await askingAws("what the consumer has could not be read", async () =>
    // The table or the bucket is the consumer's own: what is said of the poller's does not hold.
    openList(target, io)
      .then((opened) => readList(opened, options, io, { ids, tell }))
      .catch((error) => Promise.reject(error instanceof AwsFailure ? error.cause : error)),
  );
  // What was emitted later is left out.
  const list = { from, asOf: Math.floor(asOf), ids: ids.size, unreadable };
  if (dlq !== undefined) {
    const { isAll, messages } = await askingAws("the dead-letter queue could not be read", () =>
      readDeadLetters(target, dlq, io, { ids: deadLetters, tell }),
    );
    if (!isAll) io.say(`Only the first ${count(messages, "message")} of the dead-letter queue were read.`);
  }
  // Where nobody has said when the list was taken, it may be too old to tell of what its consumer should have by now.
  const dueBy = options.asOf === undefined ? io.now() - ON_ITS_WAY : Number.NEGATIVE_INFINITY;
  const { take, compared } = createComparison(ids, { deadLetters, asOf, dueBy });
  await eachEmitted(target, surveys, io, (one, entries) => {
    for (const entry of entries) take(one, entry);
    progress.update(`${count(compared.expected, "emitted response")} compared`);
  });
  const { missing, expected, emittedLater } = compared;
  missing.sort((a, b) => a.surveyId - b.surveyId || a.responseId - b.responseId);
  const verdict = verdictOf(compared);
  const isPart = source !== undefined || survey !== undefined;
  return {
    ...{ verdict, sentence: verdictText(compared, list) },
    next: verdict === "missing" ? commandLine(target, options) : null,
    ...{ list, scope: { source: source ?? null, surveyId: survey ?? null } },
    // Ids that no ledger of the poller has; null where only a part of it was read.
    ...{ expected, emittedLater, missing, unknown: isPart ? null : [...ids].sort(), resend: null },
  };
}

function told(data: Found): Answer {
  const next = data.next === null ? [] : [`Next: ${data.next}`];
  return { data, text: [data.sentence, ...missingLines(data.missing), ...next], exit: EXITS[data.verdict] };
}

/** Sends missing events again. An event that may still be on its way is left alone. */
async function resendMissing(target: Target, io: Io, found: Found, dryRun: boolean): Promise<Answer> {
  const due = found.missing.flatMap(({ cause, emittedAt: _, has: __, ...event }): ResentItem[] =>
    cause === "on-its-way" ? [] : [{ ...event, outcome: "would-send", reason: null }],
  );
  if (due.length === 0) return told(found);
  const items = dryRun ? due : await sendAgain(target, io, due);
  const left = items.filter(({ outcome }) => outcome !== "sent");
  const sentence = sentenceOf(items, dryRun);
  const isMended = !dryRun && exitOf(items) === EXIT.done;
  const data: VerifyAnswer = { ...found, resend: { dryRun, sentence, items } };
  return {
    data,
    text: [
      ...[found.sentence, ...missingLines(found.missing), sentence],
      ...(dryRun ? [] : itemLines(left)),
      ...(isMended ? ["Verify again in a minute: what was sent is on its way."] : []),
    ],
    // Only what was sent is accounted for.
    exit: isMended ? EXIT.done : EXIT.unaccounted,
    isDry: dryRun,
  };
}

/** The same once more, and what is missing is sent; null where it was read from standard input. */
function commandLine({ flags }: Target, options: Options): string | null {
  if (options.ids === "-") return null;
  const { ids, dynamodb, s3, dlq, asOf, source, survey } = options;
  const values = { ids, dynamodb, s3, dlq, "as-of": asOf, source, survey };
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(`${value}`)}`],
  );
  return ["survey-poller verify", flags, ...given, "--resend"].join(" ");
}

const CAUSES: Record<MissingEvent["cause"], (one: MissingEvent) => string> = {
  "never-arrived": () => "never arrived",
  "dead-letter-queue": ({ has }) => `in the dead-letter queue${has === null ? "" : `; revision ${has} is there`}`,
  "older-revision": ({ has, revision }) => `older revision: ${has} instead of ${revision}`,
  "on-its-way": () => "may still be on its way",
};

function missingLines(missing: readonly MissingEvent[]): string[] {
  return columns(
    missing.map((one) => [
      ...[`${one.surveyId}`, `${one.responseId}`, one.eventId, CAUSES[one.cause](one)],
      new Date(one.emittedAt).toISOString(),
    ]),
  );
}

// Times are epoch milliseconds.

interface MissingEvent {
  source: string;
  surveyId: number;
  responseId: number;
  eventId: string;
  revision: number | null;
  emittedAt: number;
  /** On its way: emitted so shortly before the list was taken that it may have come since. */
  cause: "never-arrived" | "dead-letter-queue" | "older-revision" | "on-its-way";
  has: number | null;
}

/**
 * Milliseconds that the bus and a consumer may take, and more. An event emitted so shortly before the list was taken is not called missing
 * yet.
 */
const ON_ITS_WAY = 30_000;

/**
 * Compares the emitted responses of ledgers, some at a time, with what a consumer has.
 *
 * @param ids of the consumer. Those that the ledger knows are taken out: what is left is unknown
 * @param asOf when its list was taken, and `dueBy` when what the list is to be judged by was emitted, at the latest
 */
export function createComparison(
  ids: Set<string>,
  { deadLetters, asOf, dueBy }: { deadLetters: ReadonlySet<string>; asOf: number; dueBy: number },
) {
  /** Expected: responses whose last event the consumer should have. Not judged: later than the list, and a list as of now would be judged by them. */
  const compared = { expected: 0, emittedLater: 0, notJudged: 0, missing: [] as MissingEvent[] };

  function take({ source, surveyId }: SurveyOf, { id, eventId, emittedAt }: EmittedResponse): void {
    const isThere = ids.delete(eventId);
    const older = olderEventIds(source, surveyId, id, eventId);
    // All of them are known, and the latest tells.
    let has: number | null = null;
    for (const [i, one] of (older ?? []).entries()) if (ids.delete(one)) has = i + 1;
    // A forgotten response has no time: its consumers may have forgotten it too.
    if (emittedAt === 0) return;
    if (emittedAt > asOf) {
      compared.emittedLater += 1;
      if (emittedAt <= dueBy) compared.notJudged += 1;
      return;
    }
    compared.expected += 1;
    if (isThere) return;
    const revision = older === undefined ? null : older.length + 1;
    const late = emittedAt > asOf - ON_ITS_WAY ? "on-its-way" : has === null ? "never-arrived" : "older-revision";
    const cause = deadLetters.has(eventId) ? "dead-letter-queue" : late;
    compared.missing.push({ source, surveyId, responseId: id, eventId, revision, emittedAt, cause, has });
  }

  return { take, compared };
}

type Compared = ReturnType<typeof createComparison>["compared"];

export function verdictOf({ missing, expected, notJudged }: Compared): keyof typeof EXITS {
  if (missing.some(({ cause }) => cause !== "on-its-way")) return "missing";
  if (expected === 0 || notJudged > 0) return "unknown";
  return missing.length > 0 ? "on-its-way" : "complete";
}

/** "Missing 12 of 10,000: 10 never arrived, 2 in the dead-letter queue; 1 older revision." */
export function verdictText(compared: Compared, list: { ids: number; asOf: number }): string {
  const { missing, expected, emittedLater } = compared;
  const countOf = (cause: MissingEvent["cause"]): number => missing.filter((one) => one.cause === cause).length;
  const all = figure(expected);
  const onTheirWay = countOf("on-its-way");
  const way = `${figure(onTheirWay)} may still be on ${onTheirWay === 1 ? "its" : "their"} way`;
  switch (verdictOf(compared)) {
    case "complete": {
      const were = `${figure(emittedLater)} ${emittedLater === 1 ? "was" : "were"}`;
      const later = emittedLater === 0 ? "" : `; ${were} emitted after its list was taken, and not judged`;
      return `Complete. The consumer has all ${count(expected, "event")}${later}.`;
    }
    case "unknown":
      return `Not proved: ${unknownText(compared, list)}`;
    case "on-its-way":
      return `Not proved: ${way}, of ${all}. Take the list again in a minute.`;
    case "missing": {
      const [never, dead] = [countOf("never-arrived"), countOf("dead-letter-queue")];
      const lost = [
        ...(never > 0 ? [`${figure(never)} never arrived`] : []),
        ...(dead > 0 ? [`${figure(dead)} in the dead-letter queue`] : []),
      ];
      const older = count(countOf("older-revision"), "older revision");
      const parts = [
        lost.length > 0 && `Missing ${figure(never + dead)} of ${all}: ${lost.join(", ")}`,
        countOf("older-revision") > 0 && (lost.length > 0 ? older : `Not up to date: ${older}, of ${all}`),
        onTheirWay > 0 && way,
      ];
      return `${parts.filter(Boolean).join("; ")}.`;
    }
  }
}

/** Why nothing is proved, and what to do. */
function unknownText({ expected, emittedLater }: Compared, { ids, asOf }: { ids: number; asOf: number }): string {
  const taken = `the list counts as taken on ${utc(asOf)}`;
  if (expected > 0) {
    const since = `${count(emittedLater, "event")} ${emittedLater === 1 ? "was" : "were"} emitted since`;
    return `${taken}, and ${since}. Take it again, or say when it was: --as-of TIME.`;
  }
  if (emittedLater > 0) {
    return `nothing was compared: ${taken}, before all ${count(emittedLater, "event")}. Say when it was: --as-of TIME.`;
  }
  return ids === 0
    ? "nothing was emitted there yet, and nothing was compared."
    : "nothing was emitted there, and this poller knows none of the ids. Is it the right one?";
}
