import { CommandError, InterruptedError } from "../../errors.ts";
import { readSource, type SurveyState } from "../../target/state.ts";
import { letItPoll, wait } from "../../wait.ts";
import type { AuditedSurvey } from "./answer.ts";
import { pagesOf } from "./cost.ts";
import { beforeOf, leftOpen, outcomeOf, placeOfPass, stillOpen } from "./outcome.ts";
import type { AuditOf } from "./watch.ts";

/** Slices in a row that come no further, after which it is left. */
const MOST_IDLE = 20;
const PAUSE = 1_000;

/** Reads the full pass of each survey at once, in slices between which ticks look at the head. */
export async function readPasses(of: AuditOf): Promise<AuditedSurvey[]> {
  const outcomes: AuditedSurvey[] = [];
  for (const survey of of.surveys) outcomes.push(await readPass(of, survey));
  return outcomes;
}

async function readPass(of: AuditOf, survey: SurveyState): Promise<AuditedSurvey> {
  const { target, source, io, progress } = of;
  const { surveyId } = survey;
  let now = survey;
  let idle = 0;
  let mode: "begin" | "read" = "begin";
  while (idle < MOST_IDLE) {
    if (io.signal.aborted) throw new InterruptedError();
    const { pages } = pagesOf(now);
    const page = Math.max(1, now.mark.pass?.page ?? 1);
    progress.update(`survey ${surveyId}: page ${page} of ${Math.max(page, pages)}`, (page - 1) / pages);
    const { outcome, failure } = await slice(of, surveyId, mode);
    if (outcome === "read") mode = "read";
    const before = placeOfPass(now);
    now = await look(of, survey);
    const over = outcomeOf(now, beforeOf(survey));
    if (over !== undefined) return over;
    if (outcome === "paused") return leftOpen(now, "the source is paused");
    if (outcome === "behind") return leftOpen(now, "it is being caught up");
    idle = placeOfPass(now) === before ? idle + 1 : 0;
    if (failure !== undefined && idle > 2) return leftOpen(now, failure.message);
    // The ticks do first what keeps it.
    if (outcome === "changing") await letItPoll(target, source.name, io);
    else if (outcome === "busy" || idle > 0) await wait(PAUSE, io);
  }
  return stillOpen(now, "the full pass comes no further");
}

/** One slice of reading. A refusal of the service for now is no failure of the audit. */
async function slice({ target, source }: AuditOf, surveyId: number, mode: "begin" | "read") {
  try {
    return await target.operate(source.name, "audit", { surveyId, mode });
  } catch (error) {
    if (!(error instanceof CommandError) || !/^(TOO_MANY_REQUESTS|OUT_OF_TIME)$/.test(error.code)) throw error;
    return { outcome: "busy" as const, failure: error };
  }
}

async function look({ target, source }: AuditOf, survey: SurveyState): Promise<SurveyState> {
  const { surveys } = await readSource(target, source.name);
  return surveys.find(({ surveyId }) => surveyId === survey.surveyId) ?? survey;
}
