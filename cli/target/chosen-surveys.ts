import type { SourceConfig } from "../../lib/config/index.ts";
import { selected } from "../../lib/polling/model/source.ts";
import { type CommandErrorOptions, notNow } from "../errors.ts";
import { UsageError } from "../flags.ts";
import { pauseEnd } from "../words.ts";
import type { SourceState, SurveyState } from "./state.ts";
import type { Target } from "./target.ts";

/** Tells of surveys that are to be polled by their ids, and that the survey list does not show. */
export function unlistedText(ids: readonly number[]): string {
  const [noun, verb] = ids.length === 1 ? ["survey", "is"] : ["surveys", "are"];
  return `${noun} ${ids.join(", ")} ${verb} not in the survey list: correct the id, or give the credentials access`;
}

/** The surveys that are meant, of those that are polled. */
export function chosenSurveys(
  { surveys }: SourceState,
  source: SourceConfig,
  surveyId: number | undefined,
  target: Target,
): SurveyState[] {
  const polled = surveys.filter((survey) => selected(survey.surveyId, source.surveys));
  const chosen = surveyId === undefined ? polled : polled.filter((survey) => survey.surveyId === surveyId);
  if (chosen.length > 0) return chosen;
  if (surveyId !== undefined) {
    const hint = `survey-poller status ${target.flags} lists the surveys that are.`;
    throw new UsageError(`survey ${surveyId} is not polled`, { hint });
  }
  const hint = "Try again after the first tick.";
  throw notNow("NOTHING_POLLED", "no survey has been polled yet", { hint });
}

/** @throws CommandError while the source is paused: nothing is asked of the service then */
export function refusePaused({ account, source }: SourceState, target: Target): void {
  const { pausedUntil, pausedSince } = account;
  if (pausedUntil === undefined) return;
  const options: CommandErrorOptions =
    pausedSince === undefined
      ? { hint: `Try again after ${new Date(pausedUntil).toISOString()}.` }
      : { hint: "Let it go on first.", next: `survey-poller resume --source ${source} ${target.flags} --yes` };
  const who = pausedSince === undefined ? "the survey service asks to be left alone" : "an operator has paused it";
  throw notNow("PAUSED", `source ${source} is paused${pauseEnd(pausedUntil)}: ${who}`, options);
}
