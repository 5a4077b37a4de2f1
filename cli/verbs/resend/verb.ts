import { createInterface } from "node:readline";
import { eventIdsIn, isEventId } from "../../event-ids.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { ledgersOf } from "../../target/responses.ts";
import { oneSource, type Target } from "../../target/target.ts";
import { DRY_RUN, examples, type Stretch, stretchOf, surveyId, targetVerb, type Verb, yesOption } from "../../verb.ts";
import {
  countDone,
  emittedIn,
  exitOf,
  itemLines,
  ofEventIds,
  ofResponses,
  type ResendAnswer,
  type ResentItem,
  sendAgain,
  sentenceOf,
  wantedOf,
} from "./send-again.ts";

interface ResendOptions {
  from?: string | undefined;
  to?: string | undefined;
  source?: string | undefined;
  survey?: number | undefined;
  yes?: true | undefined;
}

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
            : await emittedIn(target, io, await ledgersOf(target, options), stretch);
        const answer = options.yes === true ? await send(target, io, known) : dryRun(io, known);
        return {
          data: answer,
          text: [answer.sentence, ...itemLines(answer.items, target)],
          exit: exitOf(answer.items),
        };
      }),
    );

const ABOUT = `
Every subscriber of the bus sees it again; who remembers event ids passes over it. It is made anew from the
service, and goes out only where the service still shows the contents of that event.`;

/** Undefined where ids are given. */
function askedStretch(ids: readonly string[], options: ResendOptions): Stretch | undefined {
  const hint = "Give ids, - for those on standard input, or --from with a time.";
  const isTime = options.from !== undefined || options.to !== undefined;
  if (ids.length > 0 === isTime) throw new UsageError("it is not said what is to be sent again", { hint });
  if (!isTime) return undefined;
  if (options.from === undefined) throw new UsageError("it is not said from when on", { hint });
  return stretchOf(options);
}

async function idsOf(given: readonly string[], { input }: Io): Promise<string[]> {
  if (!given.includes("-")) return [...given];
  if (given.length > 1) throw new UsageError("- stands for all ids", { hint: "Give ids, or - alone." });
  const ids: string[] = [];
  for await (const line of createInterface({ input })) ids.push(...(eventIdsIn(line) ?? []));
  if (ids.length > 0) return ids;
  throw new UsageError("standard input holds no event ids", { hint: "Give one a line." });
}

async function resolve(target: Target, io: Io, ids: readonly string[], options: ResendOptions): Promise<ResentItem[]> {
  const { survey, source } = options;
  const events = ids.filter(isEventId).map((id) => id.toLowerCase());
  const others = ids.filter((id) => !isEventId(id));
  const items = events.length === 0 ? [] : await ofEventIds(target, io, await ledgersOf(target, options), events);
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

function dryRun(io: Io, items: ResentItem[]): ResendAnswer {
  io.say(DRY_RUN);
  return { dryRun: true, sentence: sentenceOf(items, true), events: countDone(items), items };
}

async function send(target: Target, io: Io, known: readonly ResentItem[]): Promise<ResendAnswer> {
  const done = await sendAgain(target, io, wantedOf(known));
  const items = [...known.filter(({ outcome }) => outcome !== "would-send"), ...done];
  return { dryRun: false, sentence: sentenceOf(items, false), events: countDone(items), items };
}
