import { createBucket } from "../../lib/aws/bucket.ts";
import type { Config } from "../../lib/config/index.ts";
import { DAY } from "../../lib/config/units.ts";
import { bareEntry, isBare, prefixesOf } from "../../lib/operator/forgotten.ts";
import type { LedgerEntry, SurveyState } from "../../lib/polling/index.ts";
import { readMark } from "../../lib/state/leases.ts";
import { readEntry, recordsOfNobody } from "../../lib/state/ledger.ts";
import { CommandError, notNow } from "../errors.ts";
import { KEPT_UNHEARD } from "../hearing/temporary-rules.ts";
import { askingAws } from "../target/aws-failure.ts";
import { openTarget } from "../target/open-target.ts";
import { type FoundResponse, findResponse, fromTable, tableOf } from "../target/surveys.ts";
import type { Target } from "../target/target.ts";
import { DRY_RUN, examples, responseId, surveyId, targetVerb, type Verb, yesOption } from "../verb.ts";
import { columns, count, day, surveyName } from "../words.ts";

/** The parts of a response that are held beside an entry that says that it is settled. */
interface Held {
  /** Fields of its entry in the table that go. */
  entry: string[];
  /** Parts of the survey's mark that name it. */
  mark: string[];
  /** Keys of objects in the bucket. */
  objects: string[];
}

/** The output of `forget --json`, beside `schemaVersion`. */
export interface ForgetAnswer {
  dryRun: boolean;
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
  /** Copies that this command cannot purge; `until`: epoch milliseconds by which it is gone at the latest, where that is known. */
  elsewhere: { where: string; what: string; until: number | null }[];
}

const NOTHING: Held = { entry: [], mark: [], objects: [] };

export const forgetVerb: Verb = (act) =>
  targetVerb("forget", "forgets everything that is held of one response, and says what cannot be purged")
    .argument("<response>", "a responseId, or the id of a record that quarantine list shows", responseId)
    .option("--survey <id>", "its survey, where several have such a response", surveyId)
    .option("--source <name>", "its source")
    .addOption(yesOption())
    .addHelpText(
      "after",
      "\nA bare entry stays, so that it never goes out again. No event tells of it.\n" +
        examples("forget 45858 --stack SurveyPoller", "forget 45858 --survey 101 --yes --json"),
    )
    .action((id, options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const isDone = options.yes === true;
        // Of a survey that is named also one that was never met is forgotten: it will not go out.
        const isNamed = options.survey !== undefined && typeof id === "number";
        const found = await findResponse(target, id, options, (mark) => isNamed || partsOf(mark, id).length > 0);
        const isNew = found !== undefined && found.entry === undefined && isNamed;
        const held = found === undefined ? NOTHING : await heldOf(target, found);
        const left =
          found === undefined || !isDone || (isNothing(held) && !isNew) ? found : await forget(target, found);
        const entry = left?.entry ?? (isNew ? ({ id, state: "before-start" } as const) : undefined);
        const { source = null, surveyId = null, name = null, entry: before } = found ?? {};
        // What has an event id went out. Of any other one nobody knows whether the bus took it before its entry could be written.
        const hadEvent = before?.eventId !== undefined;
        const facts = { isStack: target.stack !== undefined, hadEvent, now: io.now() };
        const answer: ForgetAnswer = {
          ...{ dryRun: !isDone, id, source, surveyId, name, state: before?.state ?? null, held },
          stays: entry === undefined ? null : { ...bareEntry(entry) },
          records: found === undefined ? 0 : await countRecords(target, found),
          elsewhere: elsewhere(await target.config(), facts),
        };
        if (!isDone && (!isNothing(held) || isNew)) io.say(DRY_RUN);
        return { data: answer, text: forgetText(answer) };
      }),
    );

/** Forgets, and looks once more whether nothing is left. */
async function forget(target: Target, found: FoundResponse): Promise<FoundResponse> {
  const { source, surveyId: survey, id } = found;
  const next = `survey-poller forget ${id} --survey ${survey} --source ${source} --yes ${target.flags}`;
  const done = await target.operate(source, "forget", { surveyId: survey, response: id });
  if (done.outcome === "busy") {
    const hint = "Try again in a minute; a backlog may take longer.";
    const message = `survey ${survey} is being polled just now, and nothing was forgotten`;
    throw notNow("SURVEY_BUSY", message, { hint, next });
  }
  const left = await readAgain(target, found);
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
  return fromTable(() => recordsOfNobody(tableOf(target), source, survey));
}

/** The parts of a response that are held beside an entry that says that it is settled. */
async function heldOf(target: Target, found: FoundResponse): Promise<Held> {
  const { source, surveyId, id, entry, mark } = found;
  const bucket = createBucket(target.clients.s3, target.resources.claimCheckBucket);
  const objects = await askingAws("the bucket could not be looked at", () =>
    Promise.all(prefixesOf(source, surveyId, id, entry).map((prefix) => bucket.keysUnder(prefix))),
  );
  return { entry: entry === undefined ? [] : goingOf(entry), mark: partsOf(mark, id), objects: objects.flat().sort() };
}

/** The same, with entry and mark as they are now. */
async function readAgain(target: Target, found: FoundResponse): Promise<FoundResponse> {
  const { source, surveyId, id } = found;
  return fromTable(async () => ({
    ...found,
    entry: await readEntry(tableOf(target), source, surveyId, id),
    mark: await readMark(tableOf(target), source, surveyId),
  }));
}

function isNothing({ entry, mark, objects }: Held): boolean {
  return entry.length + mark.length + objects.length === 0;
}

function goingOf(entry: LedgerEntry): string[] {
  if (isBare(entry)) return [];
  const bare = bareEntry(entry);
  const names = Object.keys(entry) as (keyof LedgerEntry)[];
  return names.filter((name) => JSON.stringify(entry[name]) !== JSON.stringify(bare[name]));
}

/** Where the mark of a survey knows of one response, other than by its place in a list of ids. */
function partsOf({ pending = [] }: SurveyState, id: LedgerEntry["id"]): string[] {
  return [...(pending.some((one) => one.id === id) ? ["pending"] : [])];
}

/** Days for which DynamoDB can bring a table back to what it was, for which every queue of a stack keeps a message, and EventBridge tries to deliver one. */
const [BACKUPS, QUEUES, TRIED] = [35, 14, 1];

/** The copies that no command of the poller can purge, where they lie, and until when. */
export function elsewhere(
  { sources, bus, webhooks }: Config,
  { isStack, hadEvent, now }: { isStack: boolean; hadEvent: boolean; now: number },
): ForgetAnswer["elsewhere"] {
  const copy = (where: string, what: string, until: number | null = null) => ({ where, what, until });
  const dead = "their own copies of its events, and those in their dead-letter queues: tell them by the event id";
  const first = [
    copy("the survey service", "the response itself: delete it there first, or it stays listed"),
    ...(hadEvent ? [copy("subscribers", dead)] : []),
  ];
  if (!isStack) {
    const file =
      "its events in a file of --events, and what a database has not overwritten yet: delete the folder to be sure";
    return [...first, copy("the data folder", file)];
  }
  // One archive and one log group serve all sources: the longest period asked for holds.
  const longest = (of: "archive" | "logs"): number => now + Math.max(...sources.map(({ retention }) => retention[of]));
  const hasWebhooks = webhooks.length > 0;
  const archived = "its events, whole: no single one can be deleted. Replay nothing from before now until then";
  const waiting = "its events that wait for an endpoint, whole";
  const undelivered = "its events that could not be delivered, whole. Delete them there by the event id";
  const untilDead = now + ((hasWebhooks ? QUEUES : TRIED) + QUEUES) * DAY;
  const ofEvents = [
    ...(bus.archive ? [copy("the archive of the bus", archived, longest("archive"))] : []),
    ...(hasWebhooks ? [copy("the queues of webhooks", waiting, now + QUEUES * DAY)] : []),
    copy("the dead-letter queues of webhooks and of onResponseCompleted", undelivered, untilDead),
    copy("the queues of tail, listen and console", "its events of the last minutes, whole", now + KEPT_UNHEARD * 1000),
  ];
  const backups = "its entry as it was. Who restores the table forgets it once more";
  return [
    ...first,
    ...(hadEvent ? ofEvents : []),
    copy("point-in-time backups of the table", backups, now + BACKUPS * DAY),
    copy("the logs", "ids, at logLevel info and debug", longest("logs")),
  ];
}

function forgetText(answer: ForgetAnswer): string[] {
  const { dryRun, id, source, surveyId: survey, name, state, held, stays, records } = answer;
  if (survey === null) {
    return [
      `Nothing is held of response ${id}: it was never met.`,
      "Nothing was written either. To note it beforehand, so that it never goes out, name its survey: --survey.",
    ];
  }
  const isHeld = !isNothing(held);
  const where = `response ${id} of ${surveyName({ surveyId: survey, name })}, source ${source}`;
  const lines = [
    ...(held.entry.length === 0 ? [] : [["table", `its entry (${state}): ${held.entry.join(", ")}`]]),
    ...(held.mark.length === 0 ? [] : [["mark", held.mark.join(", ")]]),
    ...held.objects.map((key) => ["bucket", key]),
  ];
  const known =
    state === null
      ? `Never met: ${where}. It ${dryRun ? "would be" : "is"} noted as forgotten.`
      : `Nothing more is held of ${where}.`;
  const headline = isHeld ? `${dryRun ? "Would be forgotten" : "Forgotten"}: ${where}` : known;
  const until = (at: number | null): string => (at === null ? "" : ` (until ${day(at)})`);
  return [
    headline,
    ...columns(lines).map((line) => `  ${line}`),
    ...(stays === null ? [] : [`What stays, so that it never goes out again: ${JSON.stringify(stays)}`]),
    ...(records === 0
      ? []
      : [
          `${count(records, "single record")} of this survey may be of it: nobody knows whose they are. See quarantine list, show and forget with their ids.`,
        ]),
    "Not purged by this:",
    ...answer.elsewhere.map((one) => `  ${one.where}${until(one.until)}: ${one.what}.`),
  ];
}
