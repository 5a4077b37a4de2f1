import type { SourceConfig } from "../../config/index.ts";
import { selected } from "../../polling/index.ts";
import { notNow, UsageError, unlessFailing } from "../errors.ts";
import { type Io, type ProgressLine, showProgress } from "../io.ts";
import { nextCommand } from "../words.ts";
import { type Flags, openTarget } from "./open-target.ts";
import { type PolledSurvey, readSource, type SourceState } from "./surveys.ts";
import { oneSource, type Target } from "./target.ts";

/** Work of a verb on surveys of one source that are polled. */
export interface SourceWork {
  target: Target;
  source: SourceConfig;
  state: SourceState;
  surveys: readonly PolledSurvey[];
  io: Io;
  progress: ProgressLine;
}

/** Works on the source that the flags name, and on all of its surveys that are polled or the one that they name. */
export async function onSource<T>(options: Flags, io: Io, work: (of: SourceWork) => Promise<T>): Promise<T> {
  const { survey: wanted } = options;
  await using target = await openTarget(options, io);
  const source = await oneSource(target, options.source);
  const state = await readSource(target, source.name);
  const surveys = state.surveys.filter(
    ({ surveyId }) => selected(surveyId, source.surveys) && (wanted ?? surveyId) === surveyId,
  );
  if (surveys.length === 0) {
    if (wanted === undefined)
      throw notNow("NOTHING_POLLED", "no survey has been polled yet", { hint: "Try again after the first tick." });
    const hint = `${nextCommand("status", target)} lists the surveys that are.`;
    throw new UsageError(`survey ${wanted} is not polled`, { hint });
  }
  using progress = showProgress(io);
  return await unlessFailing(() => work({ target, source, state, surveys, io, progress }));
}
