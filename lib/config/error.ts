import { PollerError } from "../errors.ts";

/** One bad field: where it is and what would be right. Never the value that stood there: it could be a secret. */
export interface ConfigProblem {
  /** `sources[0].interval`; of a bare source object `interval`; `""` for the whole. */
  path: string;
  message: string;
}

/** The configuration cannot be used. `problems` names every bad field; `message` holds them all in one line. */
export class ConfigError extends PollerError {
  override readonly code = "BAD_CONFIGURATION";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], options: { hint?: string; cause?: unknown } = {}) {
    const listed = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
    super(`Bad configuration: ${listed.join("; ")}`, {
      hint: "Correct the named fields; examples/survey-poller.json shows a working configuration.",
      ...options,
    });
    this.problems = problems;
  }
}
