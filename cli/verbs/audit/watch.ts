import type { SourceConfig } from "../../../lib/config/index.ts";
import { notNow } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { ProgressLine } from "../../progress.ts";
import { readSource, type SurveyState } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import { isPolling, letItPoll } from "../../wait.ts";
import { count } from "../../words.ts";
import type { AuditedSurvey } from "./answer.ts";
import { pagesOf } from "./cost.ts";
import { type Before, beforeOf, outcomeOf, placeOfPass, stillOpen } from "./outcome.ts";

/** Ticks after which a pass that comes no further is not waited for. */
const MOST_IDLE = 30;
/** Milliseconds beyond two intervals for which a tick is waited for. */
const PATIENCE = 300_000;

export interface AuditOf {
  target: Target;
  source: SourceConfig;
  surveys: readonly SurveyState[];
  io: Pick<Io, "now" | "signal">;
  progress: ProgressLine;
}

/** Makes the full passes due; ticks make them from then on. Gives what was known of each survey before. */
export async function planPasses({ target, source, surveys }: AuditOf): Promise<Map<number, Before>> {
  const planned = new Map<number, Before>();
  for (const survey of surveys) {
    const { surveyId } = survey;
    const { outcome, dueAt } = await target.operate(source.name, "audit", { surveyId, mode: "plan" });
    planned.set(surveyId, beforeOf(survey, dueAt));
    if (outcome === "planned") continue;
    const hint = "Try again in a minute: those before it are planned.";
    throw notNow("SURVEY_BUSY", `somebody else is at work on survey ${surveyId}`, { hint });
  }
  return planned;
}

/** Waits until each pass that was planned has come to its end, or comes no further. */
export async function watchPasses(of: AuditOf, planned: ReadonlyMap<number, Before>): Promise<AuditedSurvey[]> {
  const { target, source, io, progress } = of;
  let idle = { shown: "", ticks: 0, lastTick: 0, since: io.now() };
  for (;;) {
    const { account, surveys } = await readSource(target, source.name);
    const chosen = surveys.filter(({ surveyId }) => planned.has(surveyId));
    const outcomes = chosen.map((survey) => outcomeOf(survey, planned.get(survey.surveyId) ?? beforeOf(survey)));
    const giveUp = (why: string): AuditedSurvey[] => chosen.map((survey, i) => outcomes[i] ?? stillOpen(survey, why));
    if (outcomes.every((outcome) => outcome !== undefined)) return outcomes;
    if (account.pausedUntil !== undefined) return giveUp("the source is paused");
    const pending = chosen.filter((_, i) => outcomes[i] === undefined);
    show(progress, pending, chosen.length);

    const shown = JSON.stringify(pending.map(placeOfPass));
    const { lastTick = 0 } = account;
    if (shown !== idle.shown) idle = { shown, ticks: 0, lastTick, since: io.now() };
    else if (lastTick !== idle.lastTick) idle = { ...idle, ticks: idle.ticks + 1, lastTick };
    if (idle.ticks >= MOST_IDLE) return giveUp("the full pass comes no further");
    const isSilent = isPolling(target) && io.now() > Math.max(lastTick, idle.since) + 2 * source.interval + PATIENCE;
    if (isSilent) return giveUp("no tick comes to its end");
    await letItPoll(target, source.name, io);
  }
}

function show(progress: ProgressLine, pending: readonly SurveyState[], all: number): void {
  const [first] = pending;
  if (first === undefined) return;
  const { pages } = pagesOf(first);
  const page = Math.max(1, first.mark.pass?.page ?? 1);
  const others = all > 1 ? `, ${count(all - pending.length, "survey")} of ${all} done` : "";
  progress.update(`survey ${first.surveyId}: page ${page} of ${Math.max(page, pages)}${others}`, (page - 1) / pages);
}
