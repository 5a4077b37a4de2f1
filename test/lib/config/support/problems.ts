import { ConfigError, type ConfigProblem } from "../../../../lib/config/index.ts";

/** What is wrong with the configuration that is read there. */
export function problemsIn(read: () => unknown): readonly ConfigProblem[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
