import type { SourceConfig } from "../../../lib/config/index.ts";
import type { BackfillResult } from "../../../lib/operator/backfill.ts";
import type { DateRange } from "../../../lib/polling/model/mark.ts";
import { isHistoryMet, placeOf } from "../../../lib/polling/model/phase.ts";
import { type CommandError, notNow } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { type ProgressLine, showProgress } from "../../progress.ts";
import { chosenSurveys, refusePaused } from "../../target/chosen-surveys.ts";
import { openTarget } from "../../target/open-target.ts";
import { readSource, type SourceState, type SurveyState } from "../../target/state.ts";
import { oneSource, type Target } from "../../target/target.ts";
import { type Answer, DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { wholeNumber } from "../../whole-number.ts";
import { count } from "../../words.ts";
import { pagesOf } from "../audit/cost.ts";
import type { BackfillAnswer } from "./answer.ts";
import { countHistory } from "./count.ts";
import { rangeOf } from "./range.ts";
import { backfillText } from "./text.ts";
import { watchBackfill } from "./watch.ts";

export const backfillVerb: Verb = (act) =>
  targetVerb("backfill", "emits what completed before the floor, with the ids it would always have had")
    .requiredOption("--survey <id>", "the survey")
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
        const surveyId = wholeNumber("--survey", options.survey);
        const range = askedRange(options);
        await using target = await openTarget(options, io);
        const source = await oneSource(target, options.source);
        const state = await readSource(target, source.name);
        const [survey] = chosenSurveys(state, source, surveyId, target);
        if (survey === undefined) throw new UsageError("the survey is not polled", {});
        const progress = showProgress(io);
        const of: Of = { target, source, state, survey, io, progress, isDone: options.yes === true };
        try {
          if (options.stop === true) return await stop(of);
          if (range === undefined) return await watch(of);
          if (!of.isDone) return await countFirst(of, range);
          const started = await start(of, range);
          const isUnderWay = started.outcome === "started" || started.outcome === "under way";
          return options.watch === true && isUnderWay ? await watch(of, started) : answered(of, started);
        } finally {
          progress.end();
        }
      }),
    );

interface Of {
  target: Target;
  source: SourceConfig;
  state: SourceState;
  survey: SurveyState;
  io: Io;
  progress: ProgressLine;
  isDone: boolean;
}

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

const base = ({ source, survey, isDone }: Of): BackfillAnswer => ({
  dryRun: !isDone,
  source: source.name,
  surveyId: survey.surveyId,
  outcome: "to do",
  range: null,
  floor: survey.mark.floor?.at ?? null,
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
  const { floor } = survey.mark;
  if (floor === undefined || floor.at === null) return answered(of, { outcome: "nothing" });
  const range = { from, to: to < floor.at ? to : floor.at };
  if (range.from > range.to) return answered(of, { outcome: "nothing" });
  const { pages, isExact } = pagesOf(survey);
  io.say(`Counting reads ${isExact ? "" : "at least "}${count(pages, "page")}, about as many requests.`);
  const asked = { target, source: source.name, surveyId: survey.surveyId, range, floor, pages, io, progress };
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
  if (isHistoryMet(mark) && (placeOf(mark) === undefined || placeOf(mark)?.backfill !== undefined)) return;
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
