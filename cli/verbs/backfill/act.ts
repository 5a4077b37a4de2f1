import type { SourceConfig } from "../../../lib/config/index.ts";
import type { BackfillResult } from "../../../lib/operator/backfill.ts";
import { type DateRange, placeOf } from "../../../lib/polling/model/phase.ts";
import { type CommandError, notNow } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import type { Io } from "../../io.ts";
import type { ProgressLine } from "../../progress.ts";
import { refusePaused } from "../../target/chosen-surveys.ts";
import type { SourceState, SurveyState } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import { type Answer, DRY_RUN } from "../../verb.ts";
import { count } from "../../words.ts";
import { pagesOf } from "../audit/cost.ts";
import type { BackfillAnswer } from "./answer.ts";
import { countHistory } from "./count.ts";
import { backfillText } from "./text.ts";
import { watchBackfill } from "./watch.ts";

// What the verb does about one survey.

export interface Of {
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

export function answered(of: Of, more: Partial<BackfillAnswer>): Answer {
  const answer = { ...base(of), ...more };
  // What is watched alone changes nothing.
  if (!of.isDone && (answer.outcome === "to do" || answer.outcome === "stopped")) of.io.say(DRY_RUN);
  const isOpen = answer.outcome === "partial" || answer.why !== null;
  return { data: answer, text: backfillText(answer, of.target.flags), exit: isOpen ? EXIT.notNow : EXIT.done };
}

export async function countFirst(of: Of, { from, to }: DateRange): Promise<Answer> {
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
export async function start(
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

export async function stop(of: Of): Promise<Answer> {
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

export async function watch(of: Of, started?: Partial<BackfillAnswer>): Promise<Answer> {
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
