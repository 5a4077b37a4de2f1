import { isObject } from "../json.ts";
import type { Config } from "./config.ts";
import { crossChecks, type FoundProblem, type PatternCheck, patternProblems } from "./cross-checks.ts";
import { ConfigError } from "./error.ts";
import { configSchema } from "./schema.ts";
import { advancedFields, sourceFields } from "./source.ts";
import { nearestName } from "./unknown-field.ts";

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
export function parseConfig(input: unknown, options: { deployed: boolean; checkPattern?: PatternCheck }): Config {
  const bare = isBareSource(input);
  const long = bare ? { sources: [input] } : input;
  // What is read once is read sooner without code made for it.
  const parsed = configSchema.safeParse(long, { jitless: true });
  const found: FoundProblem[] = parsed.error?.issues.map(({ path, message }) => ({ path, message })) ?? [];
  if (isObject(long)) {
    found.push(...crossChecks(long, options.deployed));
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

const topFields = Object.keys(configSchema.shape);

/**
 * Whether the input is one bare source object instead of `{ "sources": […] }`. A misspelt field decides as the one it
 * was meant to be, so that the error speaks of the form the writer had in mind.
 */
function isBareSource(input: unknown): boolean {
  if (!isObject(input) || Object.hasOwn(input, "sources")) return false;
  const all = [...topFields, ...sourceFields];
  return Object.keys(input).some((key) => {
    const meant = nearestName(key, all);
    return meant !== undefined && sourceFields.includes(meant);
  });
}

/** Where a known field would belong that stands on the wrong level. */
function misplaced(path: readonly PropertyKey[], bare: boolean): string | undefined {
  const field = String(path.at(-1));
  if (bare && path.length === 1 && topFields.includes(field)) {
    return `unknown field of a source: write { "sources": [ { … } ], "${field}": … }`;
  }
  if (!bare && path.length === 1 && sourceFields.includes(field)) return "unknown field here: it belongs into a source";
  const isOfSource = path.length === (bare ? 1 : 3) && (bare || path[0] === "sources");
  if (isOfSource && advancedFields.includes(field)) return `unknown field here: use "advanced": { "${field}": … }`;
  return undefined;
}

/** `["sources", 0, "interval"]` as `sources[0].interval`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}
