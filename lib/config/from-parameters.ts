import { isObject } from "../json.ts";
import type { DeployedConfig } from "./deployed-config.ts";
import { ConfigError, type ConfigProblem } from "./error.ts";
import { parseConfig } from "./parse.ts";

type Fields = Record<string, unknown>;

/** Fields of a source by which nothing in the template differs: they may stand beside its parameters. */
const SAYABLE = ["surveys", "enrich", "questions", "privacy", "maxRequestsPerSecond", "logLevel", "advanced"];

const HINT = "Correct what the template's parameter MoreConfiguration names, and deploy again.";

/**
 * The configuration of a poller that was deployed by its template.
 *
 * @param said what the parameters say, as JSON: a configuration in its long form
 * @param more what they cannot say, as JSON: fields of the first source, and `events`
 * @throws ConfigError that names every bad field, also one that has no place in `more`, or that a parameter says already
 * @example configFromParameters('{"sources":[{"baseUrl":"https://surveys.example.com"}]}', '{"questions":"labels"}')
 */
export function configFromParameters(said: string, more: string): DeployedConfig {
  const {
    sources: [first = {}, ...others],
    ...sections
  } = JSON.parse(said) as { sources: Fields[] };
  const { events = {}, ...fields } = readMore(more);
  const problems: ConfigProblem[] = Object.keys(fields)
    .filter((field) => !SAYABLE.includes(field))
    .map((path) => ({ path, message: `cannot be said here; what can be is ${[...SAYABLE, "events"].join(", ")}` }));
  const source = joined(first, fields, (path) => {
    problems.push({ path, message: "is said by a parameter of the template, too" });
  });
  if (problems.length > 0) throw new ConfigError(problems, { hint: HINT });
  const raw = { ...sections, events, sources: [source, ...others] };
  return { raw, config: parseConfig(raw, { deployed: true }) };
}

function readMore(text: string): Fields {
  try {
    const read: unknown = JSON.parse(text);
    if (isObject(read)) return read;
  } catch {
    // The error of JSON.parse would repeat the text.
  }
  throw new ConfigError([{ path: "", message: "must be a JSON object" }], { hint: HINT });
}

/** The fields of both, at every depth. What stands in both is told. */
function joined(one: Fields, other: Fields, tell: (path: string) => void): Fields {
  const result = { ...one };
  for (const [field, value] of Object.entries(other)) {
    const first = one[field];
    if (isObject(first) && isObject(value)) {
      result[field] = joined(first, value, (path) => tell(`${field}.${path}`));
    } else if (first === undefined) {
      result[field] = value;
    } else {
      tell(field);
    }
  }
  return result;
}
