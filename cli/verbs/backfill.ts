import type { SourceConfig } from "../../lib/config/index.ts";
import { isDateString } from "../../lib/events/build/date-string.ts";
import type { BackfillResult } from "../../lib/operator/backfill.ts";
import { isUnreachable, sayWhyOpen } from "../../lib/polling/model/books.ts";
import { type DateRange, placeOf } from "../../lib/polling/model/phase.ts";
import { type CommandError, EXIT, InterruptedError, notNow, unlessFailing } from "../errors.ts";
import { UsageError } from "../flags.ts";
import { type Io, type ProgressLine, showProgress } from "../io.ts";
import { openTarget } from "../target/open-target.ts";
import { chosenSurveys, readSource, refusePaused, type SourceState, type SurveyState } from "../target/surveys.ts";
import { oneSource, type Target } from "../target/target.ts";
import { type Answer, DRY_RUN, examples, surveyId, targetVerb, type Verb, yesOption } from "../verb.ts";
import { isPolling, letItPoll } from "../wait.ts";
import { count } from "../words.ts";
import { pagesOf } from "./audit/passes.ts";

/** The output of `backfill --json`, beside `schemaVersion`. */
export interface BackfillAnswer {
  dryRun: boolean;
  source: string;
  surveyId: number;
  /** Partial: it came to its end, and something may have been left out. None: none is under way. */
  outcome: "to do" | "started" | "under way" | "done" | "partial" | "stopped" | "nothing" | "none";
  /** Dates of completion, as the service writes them; both belong to it. */
  range: DateRange | null;
  /** What completed up to then has not been emitted. */
  floor: string | null;
  /** Responses that it would emit, counted over all pages; null where they were not counted. */
  count: number | null;
  /** The first hundred of them. */
  ids: number[];
  /** Pages of the list, as far as is known. */
  pages: number;
  /** Where the backfill is that is under way. */
  page: number | null;
  why: string | null;
}

export const backfillVerb: Verb = (act) =>
  targetVerb("backfill", "emits what completed before the floor, with the ids it would always have had")
    .requiredOption("--survey <id>", "the survey", surveyId)
    .option("--source <name>", "the source, where there are several")
    .option("--from <date>", "first date of completion, as the survey service writes it")
    .option("--to <date>", "last date of completion, a day as a whole")
    .option("--watch", "waits for the end, also of one that is under way")
    .option("--stop", "stops the one that is under way")
    .addOption(yesOption())
    .addHelpText(
      "after",
      `\nTicks work it off beside the head. The dry run reads every page, and counts. survey-poller pause halts it.\n${examples("backfill --survey 421 --from 2026-01-01 --to 2026-01-31 --stack SurveyPoller", "backfill --survey 421 --from 2026-01-01 --to 2026-01-31 --data .survey-poller --yes --watch", "backfill --survey 421 --stop --data .survey-poller --yes")}`,
    )
    .action((options) =>
      act(options, async (io) => {
        const { survey: surveyId } = options;
        const range = askedRange(options);
        await using target = await openTarget(options, io);
        const source = await oneSource(target, options.source);
        const state = await readSource(target, source.name);
        const [survey] = chosenSurveys(state, source, surveyId, target);
        if (survey === undefined) throw new UsageError("the survey is not polled", {});
        const progress = showProgress(io);
        const of: Of = { target, source, state, survey, io, progress, isDone: options.yes === true };
        try {
          return await unlessFailing(async () => {
            if (options.stop === true) return stop(of);
            if (range === undefined) return watch(of);
            if (!of.isDone) return countFirst(of, range);
            const started = await start(of, range);
            const isUnderWay = started.outcome === "started" || started.outcome === "under way";
            return options.watch === true && isUnderWay ? watch(of, started) : answered(of, started);
          });
        } finally {
          progress.end();
        }
      }),
    );

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
  watch?: true | undefined;
  stop?: true | undefined;
}

/** Undefined where the one that is under way is meant. */
function askedRange({ from, to, watch: watches, stop: stops }: Asked): DateRange | undefined {
  const hint = "Give --from and --to, or --watch or --stop for the one that is under way.";
  if (from !== undefined && to !== undefined && stops !== true) return rangeOf(from, to);
  if (from !== undefined || to !== undefined || (watches !== true && stops !== true)) {
    throw new UsageError("it is not said what is to be backfilled", { hint });
  }
  return undefined;
}

/**
 * Reads a range of dates. A day alone is all of it: from its first second, or to its last.
 *
 * @throws UsageError
 * @example rangeOf("2026-01-01", "2026-01-31") // { from: "2026-01-01 00:00:00", to: "2026-01-31 23:59:59" }
 */
export function rangeOf(from: string, to: string): DateRange {
  const range = { from: dateOf("--from", from, "00:00:00"), to: dateOf("--to", to, "23:59:59") };
  if (range.from <= range.to) return range;
  throw new UsageError("--from is after --to", { hint: "Give the earlier date first." });
}

function dateOf(flag: string, text: string, time: string): string {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text} ${time}` : text.replace("T", " ");
  if (isDateString(date)) return date;
  const hint = 'Give one such as 2026-01-31 or "2026-01-31 18:00:00", as the survey service writes them.';
  throw new UsageError(`${flag} is no date`, { hint });
}

// What the verb does about one survey.

interface Of {
  target: Target;
  source: SourceConfig;
  state: SourceState;
  survey: SurveyState;
  io: Io;
  progress: ProgressLine;
  isDone: boolean;
}

const base = ({ source, state, survey, isDone }: Of): BackfillAnswer => ({
  dryRun: !isDone,
  source: source.name,
  surveyId: survey.surveyId,
  outcome: "to do",
  range: null,
  floor: state.account.start?.at ?? null,
  count: null,
  ids: [],
  pages: pagesOf(survey).pages,
  page: null,
  why: null,
});

function answered(of: Of, more: Partial<BackfillAnswer>): Answer {
  const answer = { ...base(of), ...more };
  // What is watched alone changes nothing.
  if (!of.isDone && (answer.outcome === "to do" || answer.outcome === "stopped")) of.io.say(DRY_RUN);
  const isOpen = answer.outcome === "partial" || answer.why !== null;
  return { data: answer, text: backfillText(answer, of.target.flags), exit: isOpen ? EXIT.notNow : EXIT.done };
}

async function countFirst(of: Of, { from, to }: DateRange): Promise<Answer> {
  const { state, survey, target, source, io, progress } = of;
  refusePaused(state, target);
  refuseBehind(survey);
  const { at: floor = null } = state.account.start ?? {};
  if (floor === null) return answered(of, { outcome: "nothing" });
  const range = { from, to: to < floor ? to : floor };
  if (range.from > range.to) return answered(of, { outcome: "nothing" });
  const { pages, isExact } = pagesOf(survey);
  io.say(`Counting reads ${isExact ? "" : "at least "}${count(pages, "page")}, about as many requests.`);
  const hasBooks = survey.mark.books !== undefined;
  const asked = { target, source: source.name, surveyId: survey.surveyId, range, hasBooks, pages, io, progress };
  const ids = await countHistory(asked);
  progress.end();
  return answered(of, { outcome: "to do", range, count: ids.length, ids: ids.slice(0, 100) });
}

/** @throws CommandError where it cannot be begun now */
async function start(
  { state, survey, target, source }: Of,
  range: DateRange,
): Promise<Pick<BackfillAnswer, "outcome" | "range">> {
  refusePaused(state, target);
  const result = await target.operate(source.name, "backfill", { surveyId: survey.surveyId, mode: "start", range });
  const { outcome } = result;
  if (outcome === "started" || outcome === "under way" || outcome === "nothing") {
    return { outcome, range: result.range ?? null };
  }
  throw refusedBy(result, survey, target);
}

async function stop(of: Of): Promise<Answer> {
  const { survey, target, source, isDone } = of;
  const range = placeOf(survey.mark)?.backfill;
  if (range === undefined) return answered(of, { outcome: "none" });
  if (!isDone) return answered(of, { outcome: "stopped", range });
  of.progress.update("waiting for the slice that is under way");
  const result = await target.operate(source.name, "backfill", { surveyId: survey.surveyId, mode: "stop" });
  if (result.outcome === "stopped" || result.outcome === "none") {
    return answered(of, { outcome: result.outcome, range: result.range ?? null });
  }
  throw refusedBy(result, survey, target);
}

async function watch(of: Of, started?: Partial<BackfillAnswer>): Promise<Answer> {
  const range = started?.range ?? placeOf(of.survey.mark)?.backfill ?? null;
  const watched = await watchBackfill(of);
  // So fast that it was over at the first look.
  const isOver = watched.outcome === "none" && started !== undefined;
  return answered(of, { range, ...watched, ...(isOver ? { outcome: "done" as const } : {}) });
}

function refuseBehind({ surveyId, mark }: SurveyState): void {
  if (mark.phase.kind !== "new" && (placeOf(mark) === undefined || placeOf(mark)?.backfill !== undefined)) return;
  throw behind(surveyId);
}

function behind(surveyId: number): CommandError {
  const hint = "Try again when survey-poller status no longer says so.";
  return notNow("CATCHING_UP", `survey ${surveyId} is being caught up`, { hint });
}

function refusedBy({ outcome, range }: BackfillResult, { surveyId }: SurveyState, { flags }: Target): CommandError {
  if (outcome === "behind") return behind(surveyId);
  if (outcome === "busy") {
    const hint = "Try again in a minute.";
    return notNow("SURVEY_BUSY", `somebody else is at work on survey ${surveyId}`, { hint });
  }
  const message = `another backfill of survey ${surveyId} is under way, from ${range?.from} to ${range?.to}`;
  const options = {
    hint: "Wait for its end, or stop it.",
    next: `survey-poller backfill --survey ${surveyId} --watch ${flags}`,
  };
  return notNow("BACKFILL_UNDER_WAY", message, options);
}

interface CountOf {
  target: Target;
  source: string;
  surveyId: number;
  range: DateRange;
  /** Whether the books of the survey have ever closed. */
  hasBooks: boolean;
  /** Of the list, as far as is known. */
  pages: number;
  io: Io;
  progress: ProgressLine;
}

/** Ids of the responses that a backfill would emit, by a look at every page. Nothing is changed. */
async function countHistory(of: CountOf): Promise<number[]> {
  const { target, source, surveyId, range, hasBooks, pages, io, progress } = of;
  const ids = new Set<number>();
  let next: { page: number; first?: string; before?: string } | undefined = { page: 1 };
  while (next !== undefined) {
    if (io.signal.aborted) throw new InterruptedError();
    const { page } = next;
    progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)} counted`, (page - 1) / pages);
    const input = { surveyId, range, hasBooks, ...next };
    const part: { ids: number[]; next?: typeof next } = await target.operate(source, "history", input);
    for (const id of part.ids) ids.add(id);
    next = part.next;
  }
  return [...ids];
}

interface WatchOf {
  target: Target;
  source: SourceConfig;
  survey: SurveyState;
  io: Io;
  progress: ProgressLine;
}

/** How a backfill has ended, or why it is not waited for. */
interface Watched {
  outcome: "done" | "partial" | "under way" | "none";
  page: number | null;
  why: string | null;
}

/** Ticks after which one that comes no further is not waited for, and milliseconds beyond two intervals for a tick. */
const MOST_IDLE = 30;
const PATIENCE = 300_000;

/** Waits for the end of the backfill of a survey. */
async function watchBackfill({ target, source, survey, io, progress }: WatchOf): Promise<Watched> {
  const { surveyId } = survey;
  let isPartial: boolean | undefined;
  let idle = { page: 0, ticks: 0, lastTick: 0, since: io.now() };
  for (;;) {
    const { account, surveys } = await readSource(target, source.name);
    const now = surveys.find((one) => one.surveyId === surveyId) ?? survey;
    const place = placeOf(now.mark);
    if (place?.backfill === undefined) return endOf(now, isPartial);
    isPartial = place.isPartial === true;
    const { page } = place;
    const left = (why: string): Watched => ({ outcome: "under way", page, why });
    if (account.pausedUntil !== undefined) return left("the source is paused");
    const { pages } = pagesOf(now);
    progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)}`, (page - 1) / pages);

    const { lastTick = 0 } = account;
    if (page !== idle.page) idle = { page, ticks: 0, lastTick, since: io.now() };
    else if (lastTick !== idle.lastTick) idle = { ...idle, ticks: idle.ticks + 1, lastTick };
    if (idle.ticks >= MOST_IDLE) return left("it comes no further");
    const isSilent = isPolling(target) && io.now() > Math.max(lastTick, idle.since) + 2 * source.interval + PATIENCE;
    if (isSilent) return left("no tick comes to its end");
    await letItPoll(target, source.name, io);
  }
}

/** Undefined: none was under way. */
function endOf({ mark }: SurveyState, isPartial: boolean | undefined): Watched {
  if (isPartial === undefined) return { outcome: "none", page: null, why: null };
  const { booksOpen } = mark;
  if (!isPartial && !isUnreachable(booksOpen)) return { outcome: "done", page: null, why: null };
  const why = sayWhyOpen(booksOpen !== undefined && isUnreachable(booksOpen) ? booksOpen : { code: "pages-moved" });
  return { outcome: "partial", page: null, why };
}

/** How many ids are shown to people. */
const SHOWN = 10;

function backfillText(answer: BackfillAnswer, flags: string): string[] {
  const { outcome, surveyId, floor, page, pages, why } = answer;
  const of = `the backfill of survey ${surveyId}`;
  const range = answer.range === null ? "" : `, ${answer.range.from} to ${answer.range.to}`;
  const watch = `survey-poller backfill --survey ${surveyId} --watch ${flags}`;
  switch (outcome) {
    case "to do":
      return toDo(answer);
    case "nothing":
      return [
        floor === null
          ? `Nothing of survey ${surveyId} is history: nothing of it has been left out.`
          : `Nothing of that range of survey ${surveyId} lies before the start, ${floor}.`,
      ];
    case "started":
      return [`Started ${of}${range}. The head goes on beside it.`, `It is watched by: ${watch}`];
    case "under way":
      return [
        `Under way: ${of}${range}${page === null ? "" : `, page ${page} of ${Math.max(page, pages)}`}${why === null ? "" : `: ${why}`}.`,
        `It is watched by: ${watch}`,
      ];
    case "done":
      return [`Done: ${of}${range}. A full pass follows by itself, and closes the books.`];
    case "partial":
      return [
        `${of} came to its end, and something may have been left out: ${why}.`,
        "Start it again: nothing goes out twice.",
      ];
    case "stopped":
      return [
        answer.dryRun
          ? `Would stop ${of}${range}.`
          : `Stopped ${of}${range}. What waits for its details still goes out. Its walk comes to the end of the list, and looks for what is new alone.`,
      ];
    case "none":
      return [`No backfill of survey ${surveyId} is under way.`];
  }
}

function toDo({ surveyId, range, count: counted, ids, floor, pages }: BackfillAnswer): string[] {
  const responses = counted === null ? "the responses" : count(counted, "response");
  const shown = ids.slice(0, SHOWN).join(", ");
  const more = (counted ?? 0) > SHOWN ? ", …" : "";
  return [
    `Would emit ${responses} of survey ${surveyId} completed from ${range?.from} to ${range?.to}, before its start (${floor}).`,
    ...(ids.length === 0 ? [] : [`Ids: ${shown}${more}`]),
    `It reads each page twice, about ${count(2 * pages, "request")}, and metrics and metadata of each response.`,
  ];
}
