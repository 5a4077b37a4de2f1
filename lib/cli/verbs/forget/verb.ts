import { existsSync, writeFileSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { PollerError } from "../../../errors.ts";
import { bareEntry } from "../../../operator/forget.ts";
import type { LedgerEntry } from "../../../polling/index.ts";
import { CommandError, EXIT, notNow, orNotWritten, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { type Flags, openTarget } from "../../target/open-target.ts";
import { type FoundResponse, findResponse, ledgersOf, readResponse, theOne } from "../../target/surveys.ts";
import { sourcesOf, type Target } from "../../target/target.ts";
import { DRY_RUN, examples, responseId, surveyId, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { columns, count, day, surveyName } from "../../words.ts";
import { deadLettersOf, type Letter } from "./dead-letters.ts";
import { type Elsewhere, elsewhere } from "./elsewhere.ts";
import { type FoundPerson, findPerson, type Person } from "./find-person.ts";
import { type Held, heldOf, isPending, readHeld } from "./held.ts";

/** What became of one response. */
interface ForgottenResponse {
  id: LedgerEntry["id"];
  source: string;
  surveyId: number;
  name: string | null;
  /** Null where no ledger knows the response. */
  state: string | null;
  /** In a dry run now, else before it was forgotten. */
  held: Held;
  /** The entry that is left, so that it never goes out again. */
  stays: LedgerEntry | null;
  /** Why it could not be forgotten now. */
  problem: { code: string; message: string } | null;
}

/** The output of `forget --json`, beside `schemaVersion`: the receipt. */
export interface ForgetAnswer {
  dryRun: boolean;
  /** UTC, ISO 8601. */
  at: string;
  /** By what the responses were found. The key of a person is in no answer. */
  by: Meant["kind"];
  /** None where an id was never met. */
  responses: ForgottenResponse[];
  unsearched: FoundPerson["unsearched"];
  /** The file with all that was held; null where none was asked for. */
  exported: string | null;
  /** Events that webhooks did not take: in a dry run they lie there, else they were deleted. */
  deadLetters: { queue: string; events: number; isWhole: boolean }[];
  /** Copies that this command cannot purge. */
  elsewhere: Elsewhere[];
}

/** One response by its id, or all those of a person. */
type Meant = { kind: "id"; value: LedgerEntry["id"] } | Person;

interface Options extends Pick<Flags, "source" | "survey" | "yes"> {
  export?: string | undefined;
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
        const meant = whoIsMeant(id, crk, referrer);
        if (options.export !== undefined && existsSync(options.export)) {
          throw new UsageError("the file of --export is there already", { hint: "Give the name of a new file." });
        }
        await using target = await openTarget(options, io);
        const answer = await forget(target, meant, options, io);
        const { dryRun, responses, unsearched, deadLetters } = answer;
        if (dryRun && responses.length > 0) io.say(DRY_RUN);
        const isDone = unsearched.length === 0 && responses.every(({ problem }) => problem === null);
        const isSeen = deadLetters.every(({ isWhole }) => isWhole);
        return { data: answer, text: forgetText(answer, meant), exit: isDone && isSeen ? EXIT.done : EXIT.notNow };
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

async function forget(target: Target, meant: Meant, options: Options, io: Io): Promise<ForgetAnswer> {
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
    ...{ dryRun, at, by: meant.kind, responses, unsearched: known.unsearched, exported: file ?? null },
    deadLetters: letters.map(({ queue, letters: own, isWhole }) => ({ queue, events: own.length, isWhole })),
    elsewhere: copies,
  };
}

/** Of a survey that is named one that was never met is meant, too: it will not go out. */
async function findById(target: Target, id: LedgerEntry["id"], options: Options): Promise<FoundPerson> {
  const isNamed = options.survey !== undefined && typeof id === "number";
  const surveys = await ledgersOf(target, options);
  const found = await findResponse(target, surveys, id, (mark) => isNamed || isPending(mark, id));
  return { responses: found === undefined ? [] : [found], unsearched: [] };
}

type Named = Pick<ForgottenResponse, "id" | "source" | "surveyId">;

function isOneOf(responses: readonly Named[], { source, surveyId, id }: Named): boolean {
  return responses.some((one) => one.source === source && one.surveyId === surveyId && one.id === id);
}

async function forgetResponse(target: Target, found: FoundResponse, dryRun: boolean): Promise<ForgottenResponse> {
  const { source, surveyId, name, id, entry, mark } = found;
  const held = await heldOf(target, found);
  const isDone = entry !== undefined && isNothing(held);
  const left = dryRun || isDone ? found : await erase(target, found);
  // One that was never met is noted.
  const stays = left.entry ?? (isPending(mark, id) ? undefined : ({ id, state: "before-start" } as const));
  return {
    ...{ id, source, surveyId, name, state: entry?.state ?? null, held },
    ...{ stays: stays === undefined ? null : bareEntry(stays), problem: null },
  };
}

const isNothing = ({ table, bucket }: Held): boolean => table.length + bucket.length === 0;

/** Forgets, and looks once more whether nothing is left. */
async function erase(target: Target, found: FoundResponse): Promise<FoundResponse> {
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
  const left = await readResponse(target, found);
  const { table, bucket } = await heldOf(target, left);
  const unforgotten = [...table, ...bucket];
  if (unforgotten.length === 0) return left;
  throw new CommandError("NOT_FORGOTTEN", `something is still held of response ${id}: ${unforgotten.join(", ")}`, {
    hint: "Run it again: it goes on with what is left.",
    next,
  });
}

function forgetText(answer: ForgetAnswer, meant: Meant): string[] {
  const { by, dryRun, exported: file, responses, unsearched, deadLetters, elsewhere: copies } = answer;
  const until = (at: number | null): string => (at === null ? "" : ` (until ${day(at)})`);
  return [
    ...(meant.kind === "id" ? [] : [`${count(responses.length, "response")} found by this ${by}.`]),
    ...(meant.kind === "id" && responses.length === 0 ? neverMet(meant.value) : []),
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
    ...copies.map((one) => `  ${one.where}${until(one.until)}: ${one.what}.`),
  ];
}

function neverMet(id: LedgerEntry["id"]): string[] {
  return [
    `Nothing is held of response ${id}: it was never met.`,
    "Nothing was written either. To note it beforehand, so that it never goes out, name its survey: --survey.",
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
