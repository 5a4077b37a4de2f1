import type { SourceConfig } from "../../config/index.ts";
import { unlessFailing } from "../errors.ts";
import { type Io, type ProgressLine, showProgress } from "../io.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import { chosenSurveys, type PolledSurvey, readSource, type SourceState } from "../target/surveys.ts";
import { oneSource, type Target } from "../target/target.ts";

/** Work of a verb on surveys of one source that are polled. */
export interface SourceWork {
  target: Target;
  source: SourceConfig;
  /** As it was before. */
  state: SourceState;
  surveys: readonly PolledSurvey[];
  io: Io;
  progress: ProgressLine;
}

/** Works on the source that the flags name, and on all of its surveys or the one that they name. */
export async function onSource<T>(options: Flags, io: Io, work: (of: SourceWork) => Promise<T>): Promise<T> {
  await using target = await openTarget(options, io);
  const source = await oneSource(target, options.source);
  const state = await readSource(target, source.name);
  const surveys = chosenSurveys(state, source, options.survey, target);
  using progress = showProgress(io);
  return await unlessFailing(() => work({ target, source, state, surveys, io, progress }));
}
