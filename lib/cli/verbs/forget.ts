import { existsSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Option } from "@commander-js/extra-typings";
import { DAY } from "../../config/units.ts";
import { PollerError } from "../../errors.ts";
import { isObject } from "../../json.ts";
import { bareEntry, prefixesOf } from "../../operator/forget.ts";
import { FORGOTTEN, type LedgerEntry, type PersonKey, personKeys, takeOut } from "../../polling/index.ts";
import { readPersonHash } from "../../run/person-hash.ts";
import { parseJson } from "../../secrets/secret-values.ts";
import { readMark } from "../../state/leases.ts";
import { personEntries } from "../../state/ledger.ts";
import { CommandError, EXIT, notNow, orNotWritten, UsageError } from "../errors.ts";
import { KEPT_UNHEARD } from "../hearing/temporary-rules.ts";
import type { Io } from "../io.ts";
import { askingAws, closing } from "../target/aws-failure.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import {
  entriesOf,
  type FoundResponse,
  findResponse,
  fromTable,
  ledgersOf,
  readResponse,
  type SurveyOf,
  theOne,
} from "../target/surveys.ts";
import { sourcesOf, type Target } from "../target/target.ts";
import { responseId, surveyId, targetVerb, type Verb, yesOption } from "../verb.ts";
import { columns, count, day, surveyName } from "../words.ts";

/** One response by its id, or all those of a person. */
type Meant = { kind: "id"; value: LedgerEntry["id"] } | Person;

type Options = Pick<Flags, "source" | "survey" | "yes"> & { export?: string | undefined };

const HELP = `
A bare entry stays, so that it never goes out again. No event tells of it.

Examples:
  survey-poller forget 45858 --stack SurveyPoller
  survey-poller forget 45858 --survey 101 --yes --json
  survey-poller forget --crk customer-1042 --export person.json
  survey-poller forget --crk customer-1042 --yes --json > receipt.json`;

export const forgetVerb: Verb = (act) =>
  targetVerb(
    "forget",
    "forgets or exports all that is held of a response or a person, and says what cannot be purged",
    HELP,
  )
    .argument("[response]", "a responseId, or the id of a record that quarantine list shows", responseId)
    .addOption(new Option("--crk <key>", "all responses with this key; see privacy.findBy").conflicts("referrer"))
    .option("--referrer <key>", "all responses with this referrer")
    .option("--export <file>", "first write all that is held into this new file, as JSON")
    .option("--survey <id>", "its survey, where several have such a response", surveyId)
    .option("--source <name>", "its source")
    .addOption(yesOption())
    .action((id, { crk, referrer, ...options }) =>
      act(options, async (io) => {
        const meant = whoIsMeant(id, crk, referrer);
        if (options.export !== undefined && existsSync(options.export)) {
          throw new UsageError("the file of --export is there already", { hint: "Give the name of a new file." });
        }
        await using target = await openTarget(options, io);
        const data = await forget(target, meant, options, io);
        const { dryRun, responses, unsearched, deadLetters } = data;
        const isDone = unsearched.length === 0 && responses.every(({ problem }) => problem === null);
        const exit = isDone && deadLetters.every(({ isWhole }) => isWhole) ? EXIT.done : EXIT.notNow;
        return { data, text: forgetText(data, meant), exit, isDry: dryRun && responses.length > 0 };
      }),
    );

/** @throws UsageError unless exactly one of a response and a key is named */
function whoIsMeant(id: LedgerEntry["id"] | undefined, crk: string | undefined, referrer: string | undefined): Meant {
  const value = crk ?? referrer;
  if (id !== undefined && value === undefined) return { kind: "id", value: id };
  if (id === undefined && value) return { kind: crk === undefined ? "referrer" : "crk", value };
  const hint = "Give a responseId, or the key of a person by --crk or --referrer.";
  throw new UsageError("it is not said whose data is meant", { hint });
}

/** The output of `forget --json`, beside `schemaVersion`: the receipt. */
export type ForgetAnswer = Awaited<ReturnType<typeof forget>>;

async function forget(target: Target, meant: Meant, options: Options, io: Io) {
  const { source, survey, export: file } = options;
  const dryRun = options.yes !== true;
  const known = await (meant.kind === "id"
    ? findById(target, meant.value, options)
    : findPerson(target, meant, options, io));
  const found = [...known.responses];
  // A dead letter may name a response that the ledger does not find.
  const isChosen = (letter: Letter): boolean =>
    (source ?? letter.source) === letter.source && (survey ?? letter.surveyId) === letter.surveyId;
  const isMeant = (letter: Letter): boolean =>
    isOneOf(known.responses, letter) || (isChosen(letter) && letter[meant.kind] === meant.value);
  const waiting = await deadLettersOf(target, isMeant, false);
  for (const letter of waiting.flatMap(({ letters }) => letters)) {
    if (!isOneOf(found, letter)) found.push(await readResponse(target, letter));
  }
  if (meant.kind === "id") theOne(found);

  const at = new Date(io.now()).toISOString();
  const copies = await elsewhere(target, io.now());
  if (file !== undefined) {
    // Nothing is deleted before it is written.
    const responses = await Promise.all(found.map((one) => readHeld(target, one)));
    const events = waiting.map(({ letters, ...queue }) => ({ ...queue, events: letters.map((one) => one.event) }));
    const whole = { schemaVersion: 1, at, responses, deadLetters: events, elsewhere: copies };
    const text = `${JSON.stringify(whole, null, 2)}\n`;
    orNotWritten("--export", () => writeFileSync(file, text, { flag: "wx", mode: 0o600 }));
  }
  const responses: ForgottenResponse[] = [];
  for (const one of found) {
    try {
      responses.push(await forgetResponse(target, one, dryRun));
    } catch (error) {
      // The others of a person are forgotten all the same: the receipt says which are left.
      if (meant.kind === "id" || !(error instanceof PollerError)) throw error;
      const { code, message } = error;
      responses.push({ ...(await forgetResponse(target, one, true)), problem: { code, message } });
    }
  }
  // After the ledger: until then dead letters alone may say whose a response is.
  const forgotten = responses.filter(({ problem }) => problem === null);
  const letters = dryRun ? waiting : await deadLettersOf(target, (letter) => isOneOf(forgotten, letter), true);
  return {
    // Of no person the key is in the answer.
    ...{ dryRun, at, by: meant.kind, responses, unsearched: known.unsearched, exported: file ?? null },
    // In a dry run they lie there, else they were deleted.
    deadLetters: letters.map(({ queue, letters: own, isWhole }) => ({ queue, events: own.length, isWhole })),
    elsewhere: copies,
  };
}

/** Of a survey that is named one that was never met is meant, too: it will not go out. */
async function findById(target: Target, id: LedgerEntry["id"], options: Options): Promise<FoundPerson> {
  const isNamed = options.survey !== undefined && typeof id === "number";
  const surveys = await ledgersOf(target, options);
  const found = await findResponse(target, surveys, id, (mark) => isNamed || pendingOf({ mark, id }).length > 0);
  return { responses: found === undefined ? [] : [found], unsearched: [] };
}

type Named = Pick<FoundResponse, "id" | "source" | "surveyId">;

function isOneOf(responses: readonly Named[], { source, surveyId, id }: Named): boolean {
  return responses.some((one) => one.source === source && one.surveyId === surveyId && one.id === id);
}

interface ForgottenResponse extends Named {
  name: string | null;
  /** Null where no ledger knows the response. */
  state: string | null;
  /** In a dry run now, else before it was forgotten. */
  held: Held;
  /** The entry that is left, so that it never goes out again. */
  stays: LedgerEntry | null;
  problem: { code: string; message: string } | null;
}

async function forgetResponse(target: Target, found: FoundResponse, dryRun: boolean): Promise<ForgottenResponse> {
  const { source, surveyId, name, id, entry } = found;
  const held = await heldOf(target, found);
  const isDone = entry !== undefined && isNothing(held);
  const left = dryRun || isDone ? found : await erase(target, found);
  // One that was never met is noted.
  const stays = left.entry ?? (pendingOf(found).length > 0 ? undefined : ({ id, state: "before-start" } as const));
  return {
    ...{ id, source, surveyId, name, state: entry?.state ?? null, held },
    ...{ stays: stays === undefined ? null : bareEntry(stays), problem: null },
  };
}

const isNothing = ({ table, bucket }: Held): boolean => table.length + bucket.length === 0;

async function erase(target: Target, found: FoundResponse): Promise<FoundResponse> {
  const { source, surveyId: survey, id } = found;
  const next = `survey-poller forget ${id} --survey ${survey} --source ${source} --yes ${target.flags}`;
  // A dead letter may name one that the configuration no longer has.
  await sourcesOf(target, source);
  const done = await target.operate(source, "forget", { surveyId: survey, response: id });
  if (done.outcome === "busy") {
    const hint = "Try again in a minute; a backlog may take longer.";
    throw notNow("SURVEY_BUSY", `survey ${survey} is being polled just now, and nothing was forgotten`, { hint, next });
  }
  const left = await readResponse(target, found);
  const { table, bucket } = await heldOf(target, left);
  const unforgotten = [...table, ...bucket];
  if (unforgotten.length === 0) return left;
  const hint = "Run it again: it goes on with what is left.";
  const message = `something is still held of response ${id}: ${unforgotten.join(", ")}`;
  throw new CommandError("NOT_FORGOTTEN", message, { hint, next });
}

const NOTHING_WRITTEN =
  "Nothing was written either. To note it beforehand, so that it never goes out, name its survey: --survey.";

function forgetText(answer: ForgetAnswer, meant: Meant): string[] {
  const { by, dryRun, exported: file, responses, unsearched, deadLetters, elsewhere: copies } = answer;
  const isNone = meant.kind === "id" && responses.length === 0;
  return [
    ...(meant.kind === "id" ? [] : [`${count(responses.length, "response")} found by this ${by}.`]),
    ...(isNone ? [`Nothing is held of response ${meant.value}: it was never met.`, NOTHING_WRITTEN] : []),
    ...unsearched.map(
      ({ source, responses: unknown }) =>
        `Source ${source}: ${count(unknown, "response")} went out with no hash of ${by} (privacy.findBy), and cannot be found by it. Name them by their ids.`,
    ),
    ...responses.flatMap((one) => responseText(one, dryRun || one.problem !== null)),
    ...(file === null ? [] : [`All that is held was written to ${file}.`]),
    ...deadLetters.map(({ queue, events, isWhole }) => {
      const done = `${count(events, "event")} ${dryRun ? "would be deleted from" : "deleted from"} ${queue}`;
      return isWhole ? `${done}.` : `${done}. It holds more than could be read: let it run empty, and run this again.`;
    }),
    "Not purged by this:",
    ...copies.map(({ where, what, until }) => `  ${where}${until === null ? "" : ` (until ${day(until)})`}: ${what}.`),
  ];
}

function responseText(
  { id, source, state, held, stays, problem, ...survey }: ForgottenResponse,
  dryRun: boolean,
): string[] {
  const where = `response ${id} of ${surveyName(survey)}, source ${source}`;
  const known =
    state === null
      ? `Never met: ${where}. It ${dryRun ? "would be" : "is"} noted as forgotten.`
      : `Nothing more is held of ${where}.`;
  const lines = [
    ...(held.table.length === 0 ? [] : [["table", `its entry (${state}): ${held.table.join(", ")}`]]),
    ...held.bucket.map((key) => ["bucket", key]),
  ];
  return [
    ...(problem === null ? [] : [`Not forgotten, try again: ${problem.message}`]),
    isNothing(held) ? known : `${dryRun ? "Would be forgotten" : "Forgotten"}: ${where}`,
    ...columns(lines).map((line) => `  ${line}`),
    ...(stays === null ? [] : [`What stays, so that it never goes out again: ${JSON.stringify(stays)}`]),
  ];
}

/** The parts of a response that are held beside an entry that says that it is settled. */
interface Held {
  /** Fields of its entry in the table that go; "pending" where an event of it has not reached the ledger yet. */
  table: string[];
  bucket: string[];
}

async function heldOf(target: Target, found: FoundResponse): Promise<Held> {
  const { source, surveyId, id, entry } = found;
  const keys = await askingAws("the bucket could not be looked at", () =>
    Promise.all(prefixesOf(source, surveyId, id, entry).map((prefix) => target.bucket.keysUnder(prefix))),
  );
  const bare = entry === undefined ? {} : bareEntry(entry);
  const going = Object.entries(entry ?? {}).filter(
    ([name, value]) => !isDeepStrictEqual(value, bare[name as keyof typeof bare]),
  );
  const table = [...going.map(([name]) => name), ...(pendingOf(found).length > 0 ? ["pending"] : [])];
  return { table, bucket: keys.flat().sort() };
}

/** Events of a response that the state of its survey knows of, and the ledger does not have yet. */
function pendingOf({ mark, id }: Pick<FoundResponse, "mark" | "id">): LedgerEntry[] {
  return (mark.pending ?? []).filter((one) => one.id === id);
}

/** All that is held of a response, whole: its entry with the records that are kept in it, what the ledger has not taken yet, and its objects by their keys. */
async function readHeld(target: Target, found: FoundResponse): Promise<object> {
  const { source, surveyId, name, id, entry = null } = found;
  const { bucket: keys } = await heldOf(target, found);
  const contents = await askingAws("the bucket could not be read", () =>
    Promise.all(keys.map(async (key) => [key, await target.bucket.get(key)] as const)),
  );
  return { source, surveyId, name, id, entry, pending: pendingOf(found), objects: Object.fromEntries(contents) };
}

/** The key under which the inviter knows somebody. It is personal: it goes into no message. */
type Person = { kind: PersonKey; value: string };

interface FoundPerson {
  responses: FoundResponse[];
  /** By source: responses that went out while the ledger kept no hash of that kind of key. */
  unsearched: { source: string; responses: number }[];
}

/** Looks in the ledgers of all surveys, or of the one that is named: for the hash of the key, and for the key itself in what is kept. */
async function findPerson(
  target: Target,
  person: Person,
  flags: Pick<Flags, "source" | "survey">,
  io: Pick<Io, "signal">,
): Promise<FoundPerson> {
  const found: FoundPerson = { responses: [], unsearched: [] };
  const surveys = Map.groupBy(await ledgersOf(target, flags), ({ source }) => source);
  for (const [source, own] of surveys) {
    const hashOf = await askingAws("the bucket could not be read", () => readPersonHash(target.bucket, source));
    const hash = hashOf?.(person.kind, person.value);
    let unknown = 0;
    for (const survey of own) {
      const mark = await fromTable(() => readMark(target.table, source, survey.surveyId));
      const of = { ...survey, name: mark.survey?.facts.name ?? null, mark };
      const ids = new Map<LedgerEntry["id"], LedgerEntry | undefined>();
      const meet = async (one: LedgerEntry, entry?: LedgerEntry): Promise<void> => {
        const { state, reason } = one;
        if (await isOf(target, one, person, hash)) ids.set(one.id, entry);
        // It went out, and nobody can say any more of whom it is.
        else if (state === "emitted" && reason !== FORGOTTEN && one.person?.[person.kind] === undefined) unknown += 1;
      };
      for (const one of mark.pending ?? []) await meet(one);
      const read = personEntries(person.kind, hash);
      for await (const entries of entriesOf(target, survey, read, io)) {
        for (const entry of entries) await meet(entry, entry);
      }
      found.responses.push(...[...ids].map(([id, entry]) => ({ ...of, id, entry })));
    }
    if (unknown > 0) found.unsearched.push({ source, responses: unknown });
  }
  return found;
}

async function isOf(target: Target, entry: LedgerEntry, { kind, value }: Person, hash: string | undefined) {
  if (hash !== undefined && entry.person?.[kind]?.includes(hash) === true) return true;
  if (entry.kept === undefined && entry.keptKey === undefined) return false;
  const ports = { vault: target.bucket };
  const kept = await askingAws("the bucket could not be read", () => takeOut({ ports }, entry));
  return kept !== undefined && personKeys(kept.records, kept.details.metadata)[kind]?.includes(value) === true;
}

/** Messages of one queue. More are not read: they would come into sight again meanwhile. */
const MOST = 5_000;

/** An event that a webhook has not taken, the response that it is of, and the keys of its person. */
interface Letter extends SurveyOf, Record<PersonKey, unknown> {
  id: number;
  event: unknown;
}

/** Reads the dead-letter queues of all webhooks, and gives those that hold letters that are meant. With `isDone` these are deleted there. */
async function deadLettersOf(
  target: Target,
  isMeant: (letter: Letter) => boolean,
  isDone: boolean,
): Promise<{ queue: string; letters: Letter[]; isWhole: boolean }[]> {
  const outputs = Object.entries(target.stack?.outputs ?? {});
  const queues = outputs.flatMap(([name, arn]) => (name.startsWith("ForwardDeadLetterQueueArn") ? [arn] : []));
  if (queues.length === 0) return [];
  const { GetQueueUrlCommand, SQSClient } = await import("@aws-sdk/client-sqs");
  const { readQueue } = await import("../target/read-queue.ts");
  using client = closing(new SQSClient(target.client("sqs")));
  const found = [];
  for (const queue of queues) {
    const letters: Letter[] = [];
    const take = (body: string): boolean => {
      const letter = letterIn(parseJson(body));
      if (letter === undefined || !isMeant(letter)) return false;
      letters.push(letter);
      return isDone;
    };
    const { isAll: isWhole } = await askingAws("a dead-letter queue could not be read", async () => {
      const [, , , , account, name] = queue.split(":");
      const url = new GetQueueUrlCommand({ QueueName: name, QueueOwnerAWSAccountId: account });
      return readQueue(client, (await client.send(url)).QueueUrl ?? "", { most: MOST, take });
    });
    // By the ARN of the queue; and whether it holds no more messages than were read.
    if (letters.length > 0 || !isWhole) found.push({ queue, letters, isWhole });
  }
  return found;
}

/** An event as the bus delivers it; undefined where it is of no response. */
function letterIn(event: unknown): Letter | undefined {
  const detail = isObject(event) ? event.detail : undefined;
  if (!isObject(detail) || !isObject(detail.meta) || !isObject(detail.data)) return undefined;
  const { sourceName: source } = detail.meta;
  const { surveyId, responseId: id, response, metadata } = detail.data;
  if (typeof source !== "string" || typeof surveyId !== "number" || typeof id !== "number") return undefined;
  const crk = isObject(response) ? response.crk : undefined;
  const referrer = isObject(metadata) ? metadata.referrer : undefined;
  return { source, surveyId, id, crk, referrer, event };
}

/** Days for which DynamoDB can bring a table back to what it was, for which every queue of a stack keeps a message, and EventBridge tries to deliver one. */
const [BACKUPS, QUEUES, TRIED] = [35, 14, 1];

/** The copies that no command of the poller can purge: where they lie, and by when they are gone (epoch milliseconds), where that is known. */
export async function elsewhere({ stack, config }: Pick<Target, "stack" | "config">, now: number) {
  const { sources, bus, webhooks } = await config();
  const copy = (where: string, what: string, until: number | null = null) => ({ where, what, until });
  // Of no response it is certain that nothing went out: the bus may have taken an event before its entry could be written.
  const dead = "their own copies of its events, and those in their dead-letter queues: tell them by the event id";
  const known = sources.map(({ name }) => name).join(", ");
  const first = [
    copy("the survey service", "the response itself: delete it there first, or it stays listed"),
    copy("subscribers", dead),
    copy("live pages", "its events, in each page that has heard them and is still served: end it"),
    copy(
      "records of nobody knows which response",
      "those that may be of it: quarantine list and show name them, and forget takes their ids",
    ),
    copy("sources that the configuration no longer names", `their entries and kept records. It names ${known}`),
  ];
  if (stack === undefined) {
    const file = "its events in a file of --events, and what a database has not overwritten yet";
    return [...first, copy("the data folder", `${file}: delete the folder to be sure`)];
  }
  // One archive and one log group serve all sources: the longest period asked for holds.
  const longest = (of: "archive" | "logs"): number => now + Math.max(...sources.map(({ retention }) => retention[of]));
  const hasWebhooks = webhooks.length > 0;
  const archived = "its events, whole: no single one can be deleted. Replay nothing from before now until then";
  const waiting = "its events that wait for an endpoint, whole";
  const undelivered =
    "its events that could not be delivered, whole. What lies there now of webhooks this deletes; delete others by the event id";
  const untilDead = now + ((hasWebhooks ? QUEUES : TRIED) + QUEUES) * DAY;
  const backups = "its entry as it was. Who restores the table forgets it once more";
  return [
    ...first,
    ...(bus.archive ? [copy("the archive of the bus", archived, longest("archive"))] : []),
    ...(hasWebhooks ? [copy("the queues of webhooks", waiting, now + QUEUES * DAY)] : []),
    copy("the dead-letter queues of webhooks and of onResponseCompleted", undelivered, untilDead),
    copy("the queues of tail, listen and console", "its events of the last minutes, whole", now + KEPT_UNHEARD * 1000),
    copy("point-in-time backups of the table", backups, now + BACKUPS * DAY),
    copy("the logs", "ids, at logLevel info and debug", longest("logs")),
  ];
}
