import { existsSync, writeFileSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { PollerError } from "../../../errors.ts";
import { bareEntry } from "../../../operator/forget.ts";
import type { LedgerEntry, PersonKey } from "../../../polling/index.ts";
import { recordsOfNobody } from "../../../state/ledger.ts";
import { CommandError, EXIT, notNow, orNotWritten, UsageError } from "../../errors.ts";
import type { Flags } from "../../target/open-target.ts";
import { openTarget } from "../../target/open-target.ts";
import { type FoundResponse, findResponse, fromTable, theOne } from "../../target/surveys.ts";
import { sourcesOf, type Target } from "../../target/target.ts";
import { DRY_RUN, examples, responseId, surveyId, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { columns, count, day, surveyName } from "../../words.ts";
import { type DeadLetters, deadLettersOf, type Letter } from "./dead-letters.ts";
import { type Elsewhere, elsewhere } from "./elsewhere.ts";
import { type FoundPerson, findPerson, type Person } from "./find-person.ts";
import { type Held, heldOf, isNothing, NOTHING, partsOf, readFound, readHeld } from "./held.ts";

/** What became of one response. */
interface ForgottenResponse {
  id: LedgerEntry["id"];
  source: string | null;
  /** Null where no ledger knows the response. */
  surveyId: number | null;
  name: string | null;
  state: string | null;
  /** In a dry run now, else before it was forgotten. */
  held: Held;
  /** The entry that is left, so that it never goes out again. */
  stays: Partial<LedgerEntry> | null;
  /** Single records of the survey that belong to nobody knows which response: they may be of it. */
  records: number;
}

/** The part of the output of `forget --json` that is the same for a response and for a person; beside `schemaVersion`. */
interface Receipt {
  dryRun: boolean;
  /** UTC, ISO 8601. */
  at: string;
  /** The file with all that was held; null where none was asked for. */
  exported: string | null;
  /** Events that webhooks did not take: in a dry run they lie there, else they were deleted. */
  deadLetters: { queue: string; events: number; isWhole: boolean }[];
  /** Copies that this command cannot purge. */
  elsewhere: Elsewhere[];
}

export type ForgetAnswer = ForgottenResponse & Receipt;

export interface ForgetPersonAnswer extends Receipt {
  /** The kind of key by which the person was found. The key itself is in no answer. */
  by: PersonKey;
  responses: (ForgottenResponse & { problem: { code: string; message: string } | null })[];
  unsearched: FoundPerson["unsearched"];
}

interface Options extends Pick<Flags, "source" | "survey" | "yes"> {
  export?: string | undefined;
  /** Epoch milliseconds. */
  now: number;
}

export const forgetVerb: Verb = (act) =>
  targetVerb("forget", "forgets or exports all that is held of a response or a person, and says what cannot be purged")
    .argument("[response]", "a responseId, or the id of a record that quarantine list shows", responseId)
    .addOption(new Option("--crk <key>", "all responses with this key; see privacy.findBy").conflicts("referrer"))
    .option("--referrer <key>", "all responses with this referrer")
    .option("--export <file>", "first write all that is held into this new file, as JSON")
    .option("--survey <id>", "its survey, where several have such a response", surveyId)
    .option("--source <name>", "its source")
    .addOption(yesOption())
    .addHelpText(
      "after",
      "\nA bare entry stays, so that it never goes out again. No event tells of it.\n" +
        examples(
          "forget 45858 --stack SurveyPoller",
          "forget 45858 --survey 101 --yes --json",
          "forget --crk customer-1042 --export person.json",
          "forget --crk customer-1042 --yes --json > receipt.json",
        ),
    )
    .action((id, { crk, referrer, ...options }) =>
      act(options, async (io) => {
        const person = personOf(id, crk, referrer);
        if (options.export !== undefined && existsSync(options.export)) {
          throw new UsageError("the file of --export is there already", { hint: "Give the name of a new file." });
        }
        await using target = await openTarget(options, io);
        const asked = { ...options, now: io.now() };
        const work = person === undefined ? forgetOne(target, id as LedgerEntry["id"], asked) : undefined;
        const { data, text, exit, hasWork } = await (work ?? forgetPerson(target, person as Person, asked, io));
        if (options.yes !== true && hasWork) io.say(DRY_RUN);
        return { data, text, ...(exit === undefined ? {} : { exit }) };
      }),
    );

/** @throws UsageError unless exactly one of a response and a key is named */
function personOf(id: unknown, crk: string | undefined, referrer: string | undefined): Person | undefined {
  const kind = crk === undefined ? "referrer" : "crk";
  const value = crk ?? referrer;
  if ((id === undefined) === (value === undefined) || value === "") {
    const hint = "Give a responseId, or the key of a person by --crk or --referrer.";
    throw new UsageError("it is not said whose data is meant", { hint });
  }
  return value === undefined ? undefined : { kind, value };
}

interface Done {
  data: object;
  text: string[];
  /** Whether there is something to forget. */
  hasWork: boolean;
  exit?: typeof EXIT.notNow | undefined;
}

async function forgetOne(target: Target, id: LedgerEntry["id"], options: Options): Promise<Done> {
  // Of a survey that is named also one that was never met is forgotten: it will not go out.
  const isNamed = options.survey !== undefined && typeof id === "number";
  const known = await findResponse(target, id, options, (mark) => isNamed || partsOf(mark, id).length > 0);
  const work = await withLetters(target, known === undefined ? [] : [known], options, (letter) => letter.id === id);
  const found = theOne(work.found);
  await writeExport(target, work, options);
  const one = found === undefined ? neverMet(id) : await forgetResponse(target, found, options);
  const { receipt, ...done } = await finish(target, work, found === undefined ? [] : [one], options);
  const answer: ForgetAnswer = { ...one, ...receipt };
  return { data: answer, text: oneText(answer), ...done };
}

async function forgetPerson(
  target: Target,
  person: Person,
  options: Options,
  io: { signal: AbortSignal },
): Promise<Done> {
  const { responses: known, unsearched } = await findPerson(target, person, options, io);
  const isOf = (letter: Letter): boolean => letter[person.kind] === person.value;
  const work = await withLetters(target, known, options, isOf);
  await writeExport(target, work, options);
  const responses: ForgetPersonAnswer["responses"] = [];
  for (const one of work.found) {
    try {
      responses.push({ ...(await forgetResponse(target, one, options)), problem: null });
    } catch (error) {
      // The others are forgotten all the same: the receipt says which are left.
      if (!(error instanceof PollerError)) throw error;
      const { code, message } = error;
      responses.push({ ...(await forgetResponse(target, one, { yes: undefined })), problem: { code, message } });
    }
  }
  const forgotten = responses.filter(({ problem }) => problem === null);
  const { receipt, exit, hasWork } = await finish(target, work, forgotten, options);
  const answer: ForgetPersonAnswer = { by: person.kind, responses, unsearched, ...receipt };
  const isLeft = forgotten.length < responses.length || unsearched.length > 0;
  return { data: answer, text: personText(answer), hasWork, exit: isLeft ? EXIT.notNow : exit };
}

interface Work {
  found: FoundResponse[];
  deadLetters: DeadLetters[];
}

/** Adds to the responses that the ledger knows those that dead letters name. */
async function withLetters(
  target: Target,
  known: readonly FoundResponse[],
  { source, survey }: Options,
  isOf: (letter: Letter) => boolean,
): Promise<Work> {
  const isChosen = (letter: Letter): boolean =>
    (source ?? letter.source) === letter.source && (survey ?? letter.surveyId) === letter.surveyId;
  const isMeant = (letter: Letter): boolean => isOneOf(known, letter) || (isChosen(letter) && isOf(letter));
  const deadLetters = await deadLettersOf(target, isMeant, false);
  const found = [...known];
  for (const letter of deadLetters.flatMap(({ letters }) => letters)) {
    if (!isOneOf(found, letter)) found.push(await readFound(target, letter));
  }
  return { found, deadLetters };
}

/** Writes what is held where that is asked for: nothing is deleted before. */
async function writeExport(
  target: Target,
  { found, deadLetters }: Work,
  { export: file, now }: Options,
): Promise<void> {
  if (file === undefined) return;
  const responses = await Promise.all(found.map(async (one) => readHeld(target, one, await heldOf(target, one))));
  const events = deadLetters.map(({ letters, ...queue }) => ({ ...queue, events: letters.map((one) => one.event) }));
  const copies = await elsewhere(target, now);
  const whole = { schemaVersion: 1, at: iso(now), responses, deadLetters: events, elsewhere: copies };
  const text = `${JSON.stringify(whole, null, 2)}\n`;
  orNotWritten("--export", () => writeFileSync(file, text, { flag: "wx", mode: 0o600 }));
}

/** Takes what was forgotten out of dead-letter queues. That comes after the ledger: until then they alone may say whose it is. */
async function finish(
  target: Target,
  { deadLetters: seen }: Work,
  forgotten: readonly ForgottenResponse[],
  { yes, export: file, now }: Options,
): Promise<Pick<Done, "hasWork" | "exit"> & { receipt: Receipt }> {
  const isDone = yes === true;
  const queues = isDone ? await deadLettersOf(target, (letter) => isOneOf(forgotten, letter), true) : seen;
  const receipt = {
    ...{ dryRun: !isDone, at: iso(now), exported: file ?? null },
    deadLetters: queues.map(({ queue, letters, isWhole }) => ({ queue, events: letters.length, isWhole })),
    elsewhere: await elsewhere(target, now),
  };
  const hasWork = seen.length > 0 || forgotten.some(({ state, held }) => state === null || !isNothing(held));
  return { receipt, hasWork, exit: queues.every(({ isWhole }) => isWhole) ? undefined : EXIT.notNow };
}

const iso = (at: number): string => new Date(at).toISOString();

type Named = Pick<ForgottenResponse, "id" | "source" | "surveyId">;

function isOneOf(responses: readonly Named[], { source, surveyId, id }: Named): boolean {
  return responses.some((one) => one.source === source && one.surveyId === surveyId && one.id === id);
}

function neverMet(id: LedgerEntry["id"]): ForgottenResponse {
  return { id, source: null, surveyId: null, name: null, state: null, held: NOTHING, stays: null, records: 0 };
}

async function forgetResponse(
  target: Target,
  found: FoundResponse,
  { yes }: Pick<Options, "yes">,
): Promise<ForgottenResponse> {
  const { source, surveyId, name, id, entry: before } = found;
  const held = await heldOf(target, found);
  const isDone = before !== undefined && isNothing(held);
  const left = yes !== true || isDone ? found : await forget(target, found);
  // One that was never met is noted.
  const entry = left.entry ?? (held.mark.length === 0 ? ({ id, state: "before-start" } as const) : undefined);
  const stays = entry === undefined ? null : { ...bareEntry(entry) };
  const records = await countRecords(target, found);
  return { id, source, surveyId, name, state: before?.state ?? null, held, stays, records };
}

/** Forgets, and looks once more whether nothing is left. */
async function forget(target: Target, found: FoundResponse): Promise<FoundResponse> {
  const { source, surveyId: survey, id } = found;
  const next = `survey-poller forget ${id} --survey ${survey} --source ${source} --yes ${target.flags}`;
  // A dead letter may name one that the configuration no longer has.
  await sourcesOf(target, source);
  const done = await target.operate(source, "forget", { surveyId: survey, response: id });
  if (done.outcome === "busy") {
    const hint = "Try again in a minute; a backlog may take longer.";
    const message = `survey ${survey} is being polled just now, and nothing was forgotten`;
    throw notNow("SURVEY_BUSY", message, { hint, next });
  }
  const left = await readFound(target, found);
  const { mark, ...still } = await heldOf(target, left);
  const unforgotten = [...still.entry, ...still.objects, ...mark];
  if (unforgotten.length === 0) return left;
  throw new CommandError("NOT_FORGOTTEN", `something is still held of response ${id}: ${unforgotten.join(", ")}`, {
    hint: "Run it again: it goes on with what is left.",
    next,
  });
}

function countRecords(target: Target, { source, surveyId: survey, id }: FoundResponse): Promise<number> {
  if (typeof id !== "number") return Promise.resolve(0);
  return fromTable(() => recordsOfNobody(target.table, source, survey));
}

function oneText(answer: ForgetAnswer): string[] {
  if (answer.surveyId === null) {
    return [
      `Nothing is held of response ${answer.id}: it was never met.`,
      "Nothing was written either. To note it beforehand, so that it never goes out, name its survey: --survey.",
      ...receiptText(answer),
    ];
  }
  return [...responseText(answer, answer.dryRun), ...receiptText(answer)];
}

function personText(answer: ForgetPersonAnswer): string[] {
  const { by, dryRun, responses, unsearched } = answer;
  return [
    `${count(responses.length, "response")} found by this ${by}.`,
    ...unsearched.map(
      ({ source, responses: unknown }) =>
        `Source ${source}: ${count(unknown, "response")} went out with no hash of ${by} (privacy.findBy), and cannot be found by it. Name them by their ids.`,
    ),
    ...responses.flatMap(({ problem, ...one }) => [
      ...(problem === null ? [] : [`Not forgotten, try again: ${problem.message}`]),
      ...responseText(one, dryRun || problem !== null),
    ]),
    ...receiptText(answer),
  ];
}

function responseText(one: ForgottenResponse, dryRun: boolean): string[] {
  const { id, source, surveyId: survey, name, state, held, stays, records } = one;
  const where = `response ${id} of ${surveyName({ surveyId: survey ?? 0, name })}, source ${source}`;
  const lines = [
    ...(held.entry.length === 0 ? [] : [["table", `its entry (${state}): ${held.entry.join(", ")}`]]),
    ...(held.mark.length === 0 ? [] : [["mark", held.mark.join(", ")]]),
    ...held.objects.map((key) => ["bucket", key]),
  ];
  const known =
    state === null
      ? `Never met: ${where}. It ${dryRun ? "would be" : "is"} noted as forgotten.`
      : `Nothing more is held of ${where}.`;
  const headline = isNothing(held) ? known : `${dryRun ? "Would be forgotten" : "Forgotten"}: ${where}`;
  return [
    headline,
    ...columns(lines).map((line) => `  ${line}`),
    ...(stays === null ? [] : [`What stays, so that it never goes out again: ${JSON.stringify(stays)}`]),
    ...(records === 0
      ? []
      : [
          `${count(records, "single record")} of this survey may be of it: nobody knows whose they are. See quarantine list, show and forget with their ids.`,
        ]),
  ];
}

function receiptText({ dryRun, exported: file, deadLetters, elsewhere: copies }: Receipt): string[] {
  const until = (at: number | null): string => (at === null ? "" : ` (until ${day(at)})`);
  return [
    ...(file === null ? [] : [`All that is held was written to ${file}.`]),
    ...deadLetters.map(({ queue, events, isWhole }) => {
      const done = `${count(events, "event")} ${dryRun ? "would be deleted from" : "deleted from"} ${queue}`;
      return isWhole ? `${done}.` : `${done}. It holds more than could be read: let it run empty, and run this again.`;
    }),
    "Not purged by this:",
    ...copies.map((one) => `  ${one.where}${until(one.until)}: ${one.what}.`),
  ];
}
