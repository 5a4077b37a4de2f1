import type { InputOf, ResultOf } from "../../operator/operations.ts";
import { MOST_RESENT, type Resent } from "../../operator/resend.ts";
import { FORGOTTEN } from "../../polling/index.ts";
import { EXIT, InterruptedError, UsageError } from "../errors.ts";
import { isEventId, olderEventIds } from "../event-ids.ts";
import { type Io, showProgress } from "../io.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import { eachEmitted, ledgersOf, readSource, refusePaused, type SurveyOf } from "../target/surveys.ts";
import type { Target } from "../target/target.ts";
import { type Answer, momentOf, surveyId, targetVerb, type Verb, yesOption } from "../verb.ts";
import { columns, count } from "../words.ts";

const HELP = `
Every subscriber of the bus sees it again; who remembers event ids passes over it. It is made anew from the
service, and goes out only where the service still shows the contents of that event.

Examples:
  survey-poller resend 6e4d7ba0-6ab5-5f94-8c0e-0d5ab1d0f0f3 --stack SurveyPoller
  survey-poller resend 6e4d7ba0-6ab5-5f94-8c0e-0d5ab1d0f0f3 --data .survey-poller --yes
  survey-poller resend --from 2026-11-21T08:00:00Z --to 2026-11-21T12:00:00Z --yes`;

export const resendVerb: Verb = (act) =>
  targetVerb("resend", "sends events to the bus once more: same id, same revision, origin replay", HELP)
    .argument("[ids...]", "event ids")
    .option("--from <time>", "instead of ids: what was emitted since, 2026-11-21T08:00:00Z or a day")
    .option("--to <time>", "and until then (default: now)")
    .option("--survey <id>", "only this survey", surveyId)
    .option("--source <name>", "only this source")
    .addOption(yesOption())
    .action((ids, options) =>
      act(options, async (io) => {
        const stretch = askedStretch(ids, options);
        await using target = await openTarget(options, io);
        const known = await findEvents(target, io, options, ids, stretch);
        const dryRun = options.yes !== true;
        const sent = dryRun ? [] : await sendAgain(target, io, known);
        const items = dryRun ? known : [...known.filter(({ outcome }) => outcome !== "would-send"), ...sent];
        const data: ResendAnswer = { dryRun, sentence: sentenceOf(items, dryRun), events: countDone(items), items };
        return { data, text: [data.sentence, ...itemLines(items)], exit: exitOf(items), isDry: dryRun };
      }),
    );

/** The output of `resend --json`, beside `schemaVersion`. */
export interface ResendAnswer {
  dryRun: boolean;
  sentence: string;
  /** Events that were sent, or would be. */
  events: number;
  items: ResentItem[];
}

/** Epoch milliseconds, both ends included; undefined where ids are given. */
function askedStretch(ids: readonly string[], options: Flags): { from: number; to: number } | undefined {
  const isTime = options.from !== undefined || options.to !== undefined;
  if (ids.length === 0 && options.from !== undefined) {
    const to = options.to === undefined ? Number.POSITIVE_INFINITY : momentOf("--to", options.to);
    const stretch = { from: momentOf("--from", options.from), to };
    if (stretch.from <= to) return stretch;
    throw new UsageError("--from is after --to", { hint: "Give the earlier time as --from." });
  }
  if (ids.length === 0 || isTime) {
    const hint = "Give event ids, or --from with a time.";
    const problem =
      ids.length === 0 ? "it is not said what is to be sent again" : "both event ids and a time are given";
    throw new UsageError(problem, { hint });
  }
  if (ids.every(isEventId)) return undefined;
  const hint =
    "It is detail.meta.eventId, such as 6e4d7ba0-6ab5-5f94-8c0e-0d5ab1d0f0f3; explain tells that of a response.";
  throw new UsageError("an id is not that of an event", { hint });
}

/**
 * What the ledgers say of these event ids: which would be sent, which have been replaced, and which are unknown. Or the last events of
 * responses that were emitted in a stretch of time, oldest first.
 */
async function findEvents(
  target: Target,
  io: Io,
  options: Flags,
  ids: readonly string[],
  stretch: ReturnType<typeof askedStretch>,
): Promise<ResentItem[]> {
  const unknown = { source: null, surveyId: null, responseId: null, revision: null, reason: null };
  const found = new Map<string, ResentItem & { at?: number }>(
    ids.map((id) => id.toLowerCase()).map((eventId) => [eventId, { ...unknown, eventId, outcome: "unknown" }]),
  );
  await eachEmitted(target, await ledgersOf(target, options), io, (survey, entries) => {
    for (const { id, eventId, emittedAt: at } of entries) {
      const older = olderEventIds(survey.source, survey.surveyId, id, eventId);
      const revision = older === undefined ? null : older.length + 1;
      for (const [i, one] of (older ?? []).entries()) {
        const replaced = { revision: i + 1, reason: `revision ${revision}`, outcome: "replaced" } as const;
        if (found.has(one)) found.set(one, { ...survey, responseId: id, eventId: one, ...replaced });
      }
      // A forgotten one has no time, and nothing of it is left but its id.
      const isIn = stretch !== undefined && at !== 0 && at >= stretch.from && at <= stretch.to;
      const outcome = at === 0 ? ({ reason: FORGOTTEN, outcome: "not-emitted" } as const) : WOULD_SEND;
      if (isIn || found.has(eventId))
        found.set(eventId, { ...survey, responseId: id, eventId, revision, ...outcome, at });
    }
  });
  const items = [...found.values()];
  if (stretch !== undefined) items.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  return items.map(({ at: _, ...item }) => item);
}

const WOULD_SEND = { reason: null, outcome: "would-send" } as const;

/** One event that was sent again, or was not. Null: of an id that no ledger has. */
export interface ResentItem extends Omit<Resent, "responseId" | "outcome"> {
  source: string | null;
  surveyId: number | null;
  responseId: number | null;
  /** Replaced: a later revision, which `reason` names, has taken its place. */
  outcome: Resent["outcome"] | "would-send" | "replaced" | "unknown";
}

/** Sends some at a time. What is left of them belongs to the page at which they go on, so they come to their end before others begin. */
export async function* inParts(
  surveyId: number,
  ids: readonly number[],
  send: (input: InputOf<"resend">) => Promise<ResultOf<"resend">>,
) {
  for (let i = 0; i < ids.length; i += MOST_RESENT) {
    let input: InputOf<"resend"> = { surveyId, responseIds: ids.slice(i, i + MOST_RESENT) };
    while (input.responseIds.length > 0) {
      const done = await send(input);
      yield done;
      input = { surveyId, responseIds: done.left, from: done.from };
    }
  }
}

/** Sends events again, survey by survey, and says what became of each. While a source is paused nothing is sent. */
export async function sendAgain(target: Target, io: Io, due: readonly ResentItem[]): Promise<ResentItem[]> {
  const wanted = due.flatMap(({ source, surveyId, responseId, outcome }) =>
    outcome !== "would-send" || source === null || surveyId === null || responseId === null
      ? []
      : [{ source, surveyId, responseId }],
  );
  for (const source of new Set(wanted.map((one) => one.source))) refusePaused(await readSource(target, source), target);
  const items: ResentItem[] = [];
  const all = wanted.length;
  using progress = showProgress(io);
  try {
    for (const some of Map.groupBy(wanted, ({ source, surveyId }) => `${source}/${surveyId}`).values()) {
      const [{ source, surveyId }] = some as readonly SurveyOf[] as [SurveyOf];
      const ids = some.map((one) => one.responseId);
      const send = async (input: InputOf<"resend">) => {
        if (io.signal.aborted) throw new InterruptedError();
        return target.operate(source, "resend", input);
      };
      for await (const { results, from } of inParts(surveyId, ids, send)) {
        items.push(...results.map((one) => ({ source, surveyId, ...one })));
        const page = from === undefined ? "" : `, page ${from.page} of survey ${surveyId}`;
        progress.update(`${items.length} of ${count(all, "event")} dealt with${page}`, items.length / all);
      }
    }
  } catch (error) {
    progress.end();
    const sent = items.filter(({ outcome }) => outcome === "sent").length;
    if (sent > 0)
      io.say(`${count(sent, "event")} of ${all} had been sent again by then; another run begins with the first one.`);
    throw error;
  }
  return items;
}

/** Whether trying again later may help. */
const MAY_PASS: ReadonlySet<ResentItem["outcome"]> = new Set(["unproved", "failed"]);
const DONE: ReadonlySet<ResentItem["outcome"]> = new Set(["sent", "would-send"]);

/** Sent: all of them. Not now: some may go out later. Failed: none of what is left ever will. */
export function exitOf(items: readonly ResentItem[]): NonNullable<Answer["exit"]> {
  if (items.some(({ outcome }) => MAY_PASS.has(outcome))) return EXIT.notNow;
  return countDone(items) === items.length ? EXIT.done : EXIT.failed;
}

function countDone(items: readonly ResentItem[]): number {
  return items.filter(({ outcome }) => DONE.has(outcome)).length;
}

/** "Sent 2 of 3 events again: 1 could not be sent now, try again later." */
export function sentenceOf(items: readonly ResentItem[], dryRun: boolean): string {
  const done = countDone(items);
  const part = done === items.length ? count(done, "event") : `${done} of ${count(items.length, "event")}`;
  const later = items.filter(({ outcome }) => MAY_PASS.has(outcome)).length;
  const hint = later === 0 ? "" : `; ${later} could not be sent now, try again later`;
  return `${dryRun ? "Would send" : "Sent"} ${part} again${hint}.`;
}

export function itemLines(items: readonly ResentItem[]): string[] {
  return columns(
    items.map((item) => {
      const { surveyId, responseId, eventId } = item;
      return [...[surveyId, responseId, eventId].map((id) => `${id ?? "-"}`), wordsOf(item)];
    }),
  );
}

/** The outcome of one event, for people. */
function wordsOf({ outcome, reason, revision }: ResentItem): string {
  const said: Record<ResentItem["outcome"], string> = {
    sent: `sent, revision ${revision}`,
    "would-send": `would be sent, revision ${revision}`,
    replaced: `not sent: ${reason} has taken its place`,
    changed: "not sent: it has changed since its event",
    gone: "not sent: gone at the service. An archive of the bus may have it: aws events start-replay",
    "not-emitted": `not sent: it has no event (${reason})`,
    unknown: "not sent: no ledger has this id",
    unproved: `not sent: cannot be proved now (${reason})`,
    failed: `not sent: failed (${reason})`,
    refused: `not sent: the bus refuses it (${reason})`,
  };
  return said[outcome];
}
