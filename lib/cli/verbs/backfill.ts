import { isDateString } from "../../events/build/date-string.ts";
import type { BackfillResult } from "../../operator/backfill.ts";
import { type DateRange, isUnreachable, placeOf, sayWhyOpen } from "../../polling/index.ts";
import { EXIT, notNow, UsageError } from "../errors.ts";
import type { Flags } from "../target/open-target.ts";
import { onSource, type SourceWork } from "../target/source-work.ts";
import { isReadingBacklog, type PolledSurvey, pagesOf, refuseBehind, refusePaused } from "../target/surveys.ts";
import { type Answer, surveyId, targetVerb, type Verb, yesOption } from "../verb.ts";
import { watchTicks } from "../wait.ts";
import { count, named, nextCommand } from "../words.ts";
import { lookAtPages } from "./audit/sample.ts";

const HELP = `
Ticks work it off beside the head. The dry run reads every page, and counts. survey-poller pause halts it.

Examples:
  survey-poller backfill --survey 421 --from 2026-01-01 --to 2026-01-31 --stack SurveyPoller
  survey-poller backfill --survey 421 --from 2026-01-01 --to 2026-01-31 --data .survey-poller --yes --watch
  survey-poller backfill --survey 421 --stop --data .survey-poller --yes`;

export const backfillVerb: Verb = (act) =>
  targetVerb("backfill", "emits what completed before the start, with the ids it would always have had", HELP)
    .requiredOption("--survey <id>", "the survey", surveyId)
    .option("--source <name>", "the source, where there are several")
    .option("--from <date>", "first date of completion, as the survey service writes it")
    .option("--to <date>", "last date of completion, a day as a whole")
    .option("--watch", "waits for the end, also of one that is under way")
    .option("--stop", "stops the one that is under way")
    .addOption(yesOption())
    .action((options) =>
      act(options, async (io) => {
        const range = askedRange(options);
        return await onSource(options, io, async (work) => {
          const [survey] = work.surveys;
          if (survey === undefined) throw new UsageError("the survey is not polled", {});
          const of: Of = { ...work, survey, isDone: options.yes === true };
          if (options.stop === true) return stop(of);
          if (range === undefined) return watchOn(of);
          refusePaused(of.state, of.target);
          return of.isDone ? await start(of, range, options.watch === true) : await countFirst(of, range);
        });
      }),
    );

/** Undefined where the one that is under way is meant. A day alone is all of it: from its first second, or to its last. */
function askedRange({ from, to, watch, stop: stops }: Flags & { [of in "watch" | "stop"]?: true | undefined }) {
  if (from === undefined && to === undefined && (watch || stops)) return undefined;
  if (from === undefined || to === undefined || stops) {
    const hint = "Give --from and --to, or --watch or --stop for the one that is under way.";
    throw new UsageError("it is not said what is to be backfilled", { hint });
  }
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

interface Of extends SourceWork {
  survey: PolledSurvey;
  isDone: boolean;
}

/** What became of it; a part of `backfill --json`. */
interface Outcome {
  /** Partial: it came to its end, and something may have been left out. None: none is under way. */
  outcome: "to do" | "started" | "under way" | "done" | "partial" | "stopped" | "nothing" | "none";
  /** Dates of completion, as the service writes them; both belong to it. */
  range?: DateRange | null;
  /** Responses that it would emit, counted over all pages, and the first hundred of them. */
  count?: number;
  ids?: number[];
  page?: number;
  why?: string;
}

/** The output of `backfill --json`, beside `schemaVersion`. */
export type BackfillAnswer = ReturnType<typeof answerOf>;

function answerOf({ source, state, survey, isDone }: Of, outcome: Outcome) {
  return {
    ...{ dryRun: !isDone, source: source.name, surveyId: survey.surveyId, pages: pagesOf(survey).pages },
    // Responses that completed up to the start have not been emitted.
    ...{ range: null, start: state.account.start?.at ?? null, count: null, ids: [], page: null, why: null },
    ...outcome,
  };
}

function answered(of: Of, outcome: Outcome): Answer {
  const data = answerOf(of, outcome);
  const isOpen = data.outcome === "partial" || data.why !== null;
  // What is watched alone changes nothing.
  const isDry = data.dryRun && (data.outcome === "to do" || data.outcome === "stopped");
  return { data, text: backfillText(data, watchLine(of)), exit: isOpen ? EXIT.notNow : EXIT.done, isDry };
}

/** Counts what a backfill would emit, by a look at every page. Nothing is changed. */
async function countFirst(of: Of, { from, to }: DateRange): Promise<Answer> {
  const { state, survey, io, progress } = of;
  refuseBehind(survey);
  const { at: startAt = null } = state.account.start ?? {};
  const range = { from, to: startAt === null || to < startAt ? to : startAt };
  if (startAt === null || range.from > range.to) return answered(of, { outcome: "nothing" });
  const { pages, isExact } = pagesOf(survey);
  io.say(`Counting reads ${isExact ? "" : "at least "}${count(pages, "page")}, about as many requests.`);
  const ids = new Set<number>();
  for await (const { history } of lookAtPages(of, survey, { range })) for (const one of history) ids.add(one);
  progress.end();
  return answered(of, { outcome: "to do", range, count: ids.size, ids: [...ids].slice(0, 100) });
}

async function start(of: Of, asked: DateRange, watches: boolean): Promise<Answer> {
  const { survey, target, source } = of;
  const input = { surveyId: survey.surveyId, mode: "start", range: asked } as const;
  const result = await target.operate(source.name, "backfill", input);
  const { outcome, range = null } = result;
  if (outcome === "nothing") return answered(of, { outcome, range });
  if (outcome !== "started" && outcome !== "under way") throw refusedBy(result, of);
  return watches ? await watchOn(of, range) : answered(of, { outcome, range });
}

async function stop(of: Of): Promise<Answer> {
  const { survey, target, source, isDone, progress } = of;
  const range = placeOf(survey.mark)?.backfill;
  if (range === undefined) return answered(of, { outcome: "none" });
  if (!isDone) return answered(of, { outcome: "stopped", range });
  progress.update("waiting for the turn that is under way");
  const result = await target.operate(source.name, "backfill", { surveyId: survey.surveyId, mode: "stop" });
  const { outcome, range: stopped = null } = result;
  if (outcome !== "stopped" && outcome !== "none") throw refusedBy(result, of);
  return answered(of, { outcome, range: stopped });
}

async function watchOn(of: Of, started?: DateRange | null): Promise<Answer> {
  const { survey, progress } = of;
  const { surveyId: id } = survey;
  let isPartial: boolean | undefined;
  const outcome = await watchTicks<Outcome>(of, ({ surveys }) => {
    const now = surveys.find((one) => one.surveyId === id) ?? survey;
    const place = placeOf(now.mark);
    if (place?.backfill === undefined) {
      if (isPartial === undefined) return { over: { outcome: "none" } };
      const { booksOpen } = now.mark;
      if (booksOpen !== undefined && isUnreachable(booksOpen))
        return { over: { outcome: "partial", why: sayWhyOpen(booksOpen) } };
      if (!isPartial) return { over: { outcome: "done" } };
      return { over: { outcome: "partial", why: sayWhyOpen({ code: "pages-moved" }) } };
    }
    isPartial = !place.covered || place.skipped.length > 0;
    const { page } = place;
    const { pages } = pagesOf(now);
    progress.update(`survey ${id}: page ${page} of ${Math.max(page, pages)}`, (page - 1) / pages);
    return { place: `${page}`, leave: (why) => ({ outcome: "under way", page, why }) };
  });
  const range = started ?? placeOf(survey.mark)?.backfill ?? null;
  // So fast that it was over at the first look.
  const isOver = outcome.outcome === "none" && started !== undefined;
  return answered(of, { range, ...outcome, ...(isOver ? { outcome: "done" } : {}) });
}

function watchLine({ survey: { surveyId }, source, target }: Of): string {
  return nextCommand("backfill", { surveyId, source: source.name, ...target }, "--watch");
}

function refusedBy({ outcome, range }: BackfillResult, of: Of): Error {
  const { surveyId: id } = of.survey;
  if (outcome === "behind") return isReadingBacklog(id);
  if (outcome === "busy") {
    return notNow("SURVEY_BUSY", `somebody else is at work on survey ${id}`, { hint: "Try again in a minute." });
  }
  const message = `another backfill of survey ${id} is under way, from ${range?.from} to ${range?.to}`;
  return notNow("BACKFILL_UNDER_WAY", message, { hint: "Wait for its end, or stop it.", next: watchLine(of) });
}

const START_AGAIN = "Start it again: nothing goes out twice.";

function backfillText(answer: BackfillAnswer, watch: string): string[] {
  const { outcome, surveyId: id, start, page, pages, why, ids, count: counted, dryRun } = answer;
  const of = `the backfill of survey ${id}`;
  const range = answer.range === null ? "" : `, ${answer.range.from} to ${answer.range.to}`;
  const watched = `It is watched by: ${watch}`;
  switch (outcome) {
    case "to do":
      return [
        `Would emit ${count(counted ?? 0, "response")} of survey ${id} completed from ${answer.range?.from} to ${answer.range?.to}, before its start (${start}).`,
        ...(ids.length === 0 ? [] : [`Ids: ${named(ids, 10)}`]),
        `It reads each page twice, about ${count(2 * pages, "request")}, and metrics and metadata of each response.`,
      ];
    case "nothing":
      if (start === null) return [`Nothing of survey ${id} is history: nothing of it has been left out.`];
      return [`Nothing of that range of survey ${id} lies before the start, ${start}.`];
    case "started":
      return [`Started ${of}${range}. The head goes on beside it.`, watched];
    case "under way": {
      const place = page === null ? "" : `, page ${page} of ${Math.max(page, pages)}`;
      return [`Under way: ${of}${range}${place}${why === null ? "" : `: ${why}`}.`, watched];
    }
    case "done":
      return [`Done: ${of}${range}. A full read follows by itself, and closes the books.`];
    case "partial":
      return [`${of} came to its end, and something may have been left out: ${why}.`, START_AGAIN];
    case "stopped":
      if (dryRun) return [`Would stop ${of}${range}.`];
      return [
        `Stopped ${of}${range}. What waits for its details still goes out. The full read goes on to the end of the list, and looks for what is new alone.`,
      ];
    case "none":
      return [`No backfill of survey ${id} is under way.`];
  }
}
