import { isObject } from "../json.ts";
import type { Config } from "./config.ts";
import { crossChecks, type FoundProblem, type PatternCheck, patternProblems } from "./cross-checks.ts";
import { ConfigError } from "./error.ts";
import { configSchema } from "./schema.ts";
import { isBareSource, misplaced, pathText } from "./shape.ts";

interface ParseOptions {
  deployed: boolean;
  checkPattern?: PatternCheck;
}

/**
 * Checks a raw configuration, in its long form or as one bare source object, and fills in the defaults. The input is left as
 * it is, so it can be stored as JSON and parsed again.
 *
 * @param options.deployed whether it is for AWS, which does not take every interval
 * @param options.checkPattern what a webhook's `where` has wrong. Without it patterns are taken as they are: who only polls need not load
 *   the schema that they are about
 * @throws ConfigError that names every bad field, never a value
 * @example parseConfig({ baseUrl: "https://surveys.example.com", interval: "5m" }, { deployed: true })
 */
export function parseConfig(input: unknown, options: ParseOptions): Config {
  const bare = isBareSource(input);
  const long = bare ? { sources: [input] } : input;
  // What is read once is read sooner without code made for it.
  const parsed = configSchema(options).safeParse(long, { jitless: true });
  const found: FoundProblem[] = parsed.error?.issues.map(({ path, message }) => ({ path, message })) ?? [];
  if (isObject(long)) {
    found.push(...crossChecks(long));
    if (options.checkPattern !== undefined) found.push(...patternProblems(long.webhooks, options.checkPattern));
  }

  if (parsed.success && found.length === 0) return parsed.data;
  throw new ConfigError(
    found.map(({ path, message }) => {
      const shown = bare && path[0] === "sources" ? path.slice(2) : path;
      return { path: pathText(shown), message: misplaced(shown, bare) ?? message };
    }),
  );
}
