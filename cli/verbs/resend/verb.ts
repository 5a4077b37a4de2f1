import { createInterface } from "node:readline";
import { FORGOTTEN } from "../../../lib/polling/index.ts";
import { readEntries } from "../../../lib/state/ledger.ts";
import { UsageError } from "../../errors.ts";
import { eventIdsIn, isEventId, olderEventIds } from "../../event-ids.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { openTarget } from "../../target/open-target.ts";
import { eachEmitted, ledgersOf, type SurveyOf } from "../../target/responses.ts";
import { tableOf } from "../../target/surveys.ts";
import { oneSource, type Target } from "../../target/target.ts";
import {
  DRY_RUN,
  examples,
  includes,
  type Stretch,
  stretchOf,
  surveyId,
  targetVerb,
  type Verb,
  yesOption,
} from "../../verb.ts";
import { countDone, exitOf, itemLines, type ResentItem, sendAgain, sentenceOf, wantedOf } from "./send-again.ts";

/** The output of `resend --json`, beside `schemaVersion`. */
export interface ResendAnswer {
  dryRun: boolean;
  sentence: string;
  /** Events that were sent, or would be. */
  events: number;
  items: ResentItem[];
}

interface Options {
  from?: string | undefined;
  to?: string | undefined;
  source?: string | undefined;
  survey?: number | undefined;
}

const ABOUT = `
Every subscriber of the bus sees it again; who remembers event ids passes over it. It is made anew from the
service, and goes out only where the service still shows the contents of that event.`;

export const resendVerb: Verb = (act) =>
  targetVerb("resend", "sends events to the bus once more: same id, same revision, origin replay")
    .argument("[ids...]", "event ids; response ids with --survey; - for event ids on standard input, one a line")
    .option("--from <time>", "instead of ids: what was emitted since, 2026-11-21T08:00:00Z or a day")
    .option("--to <time>", "and until then (default: now)")
    .option("--survey <id>", "the survey that response ids are of; of the others: where to look", surveyId)
    .option("--source <name>", "only this source")
    .addOption(yesOption())
    .addHelpText("after", ABOUT)
    .addHelpText(
      "after",
      examples(
        "resend 6e4d7ba0-6ab5-5f94-8c0e-0d5ab1d0f0f3 --stack SurveyPoller",
        "resend 45942 45943 --survey 101 --data .survey-poller --yes",
        "resend --from 2026-11-21T08:00:00Z --to 2026-11-21T12:00:00Z --yes",
      ),
    )
    .action((ids, options) =>
      act(options, async (io) => {
        const stretch = askedStretch(ids, options);
        const given = stretch === undefined ? await idsOf(ids, io) : [];
        await using target = await openTarget(options, io);
        const known =
          stretch === undefined
            ? await resolve(target, io, given, options)
            : await emittedIn(target, io, options, stretch);
        const dryRun = options.yes !== true;
        if (dryRun) io.say(DRY_RUN);
        const sent = dryRun ? [] : await sendAgain(target, io, wantedOf(known));
        const items = dryRun ? known : [...known.filter(({ outcome }) => outcome !== "would-send"), ...sent];
        const answer: ResendAnswer = { dryRun, sentence: sentenceOf(items, dryRun), events: countDone(items), items };
        return { data: answer, text: [answer.sentence, ...itemLines(items, target)], exit: exitOf(items) };
      }),
    );

/** Undefined where ids are given. */
function askedStretch(ids: readonly string[], options: Options): Stretch | undefined {
  const isTime = options.from !== undefined || options.to !== undefined;
  if (ids.length > 0 && !isTime) return undefined;
  if (ids.length === 0 && options.from !== undefined) return stretchOf(options);
  const hint = "Give ids, - for those on standard input, or --from with a time.";
  throw new UsageError("it is not said what is to be sent again", { hint });
}

async function idsOf(given: readonly string[], { input }: Io): Promise<string[]> {
  if (!given.includes("-")) return [...given];
  if (given.length > 1) throw new UsageError("- stands for all ids", { hint: "Give ids, or - alone." });
  const ids: string[] = [];
  for await (const line of createInterface({ input })) ids.push(...(eventIdsIn(line) ?? []));
  if (ids.length > 0) return ids;
  throw new UsageError("standard input holds no event ids", { hint: "Give one a line." });
}

async function resolve(target: Target, io: Io, ids: readonly string[], options: Options): Promise<ResentItem[]> {
  const { survey, source } = options;
  const events = ids.filter(isEventId).map((id) => id.toLowerCase());
  const others = ids.filter((id) => !isEventId(id));
  const items = events.length === 0 ? [] : await ofEventIds(target, io, options, events);
  if (others.length === 0) return items;
  if (!others.every((id) => /^\d{1,15}$/.test(id))) {
    throw new UsageError("an id is neither that of an event nor that of a response", {
      hint: "An event id is detail.meta.eventId, such as 6e4d7ba0-6ab5-5f94-8c0e-0d5ab1d0f0f3; a response id is a number.",
    });
  }
  if (survey === undefined) {
    throw new UsageError("response ids need the survey that they are of", { hint: "Add --survey ID." });
  }
  const { name } = await oneSource(target, source);
  await ledgersOf(target, { source: name, survey });
  return [...items, ...(await ofResponses(target, { source: name, surveyId: survey }, others.map(Number)))];
}

/** Event ids by what the ledgers say of them: which would be sent, which have been replaced, and which are unknown. */
async function ofEventIds(target: Target, io: Io, options: Options, ids: readonly string[]): Promise<ResentItem[]> {
  const unknown = { source: null, surveyId: null, responseId: null, revision: null, reason: null, update: null };
  const found = new Map<string, ResentItem | undefined>(ids.map((id) => [id, undefined]));
  await eachEmitted(target, await ledgersOf(target, options), io, (survey, entries) => {
    for (const { id, eventId, emittedAt } of entries) {
      const older = olderEventIds(survey.source, survey.surveyId, id, eventId) ?? [];
      const about = { ...survey, responseId: id, reason: null };
      for (const [i, one] of older.entries()) {
        if (!found.has(one)) continue;
        const last = older.length + 1;
        found.set(one, { ...about, eventId: one, revision: i + 1, outcome: "replaced", update: last });
      }
      if (!found.has(eventId)) continue;
      const last = { ...about, eventId, revision: older.length + 1, update: null };
      // Of a forgotten one nothing is left but its id.
      const isForgotten = emittedAt === 0;
      found.set(
        eventId,
        isForgotten ? { ...last, outcome: "not-emitted", reason: FORGOTTEN } : { ...last, outcome: "would-send" },
      );
    }
  });
  return [...found].map(([eventId, item]) => item ?? { ...unknown, eventId, outcome: "unknown" });
}

const READ_AT_ONCE = 100;

/** Responses by what the ledger of a survey says of them. */
async function ofResponses(target: Target, of: SurveyOf, responseIds: readonly number[]): Promise<ResentItem[]> {
  const ids = [...new Set(responseIds)];
  const items: ResentItem[] = [];
  for (let i = 0; i < ids.length; i += READ_AT_ONCE) {
    const some = ids.slice(i, i + READ_AT_ONCE);
    const entries = await askingAws("the table could not be read", () =>
      readEntries(tableOf(target), of.source, of.surveyId, some),
    );
    for (const responseId of some) {
      const { state: known = "unknown", reason, eventId = null, revision = 1 } = entries.get(responseId) ?? {};
      const state = reason === FORGOTTEN ? FORGOTTEN : known;
      items.push(
        state === "emitted"
          ? { ...of, responseId, eventId, revision, outcome: "would-send", reason: null, update: null }
          : { ...of, responseId, eventId: null, revision: null, outcome: "not-emitted", reason: state, update: null },
      );
    }
  }
  return items;
}

/** The last events of responses that were emitted in a stretch of time, oldest first. */
async function emittedIn(target: Target, io: Io, options: Options, stretch: Stretch): Promise<ResentItem[]> {
  const found: { at: number; item: ResentItem }[] = [];
  await eachEmitted(target, await ledgersOf(target, options), io, (survey, entries) => {
    for (const { id, eventId, emittedAt } of entries) {
      // A forgotten one has no time.
      if (emittedAt === 0 || !includes(stretch, emittedAt)) continue;
      const older = olderEventIds(survey.source, survey.surveyId, id, eventId);
      const about = { ...survey, responseId: id, eventId, revision: older === undefined ? null : older.length + 1 };
      found.push({ at: emittedAt, item: { ...about, outcome: "would-send", reason: null, update: null } });
    }
  });
  return found.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
