import { UsageError } from "../../cli/errors.ts";
import { credentialVariables } from "../../cli/given-credentials.ts";
import { ConfigError, parseConfig, readConfigFile, type SourceConfig } from "../../config/index.ts";
import { isObject } from "../../json.ts";
import type { Credentials } from "../../survey-api/index.ts";
import type { CommandLine } from "../command-line.ts";

/** The configuration of a run: raw as the bundle takes it, and parsed. */
export type RunConfiguration = ReturnType<typeof runConfiguration>;

/**
 * The configuration file, if any, with the flags on top of it.
 *
 * @param base what holds without a file
 */
export function runConfiguration(line: CommandLine, base: object = {}) {
  const fromFile = line.config === undefined ? base : readConfigFile(line.config);
  const { baseUrl, interval, startFrom, surveys, timeZone } = line;
  const flags = {
    ...{ baseUrl, startFrom, timeZone },
    interval: interval === undefined ? undefined : `${interval}ms`,
    surveys: surveys === undefined ? undefined : { include: surveys },
  };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const raw = withFlags(fromFile, Object.fromEntries(given));
  return { raw, config: parseConfig(raw, { deployed: false }) };
}

function withFlags(fromFile: unknown, fields: Record<string, unknown>): unknown {
  if (Object.keys(fields).length === 0) return fromFile;
  if (!isObject(fromFile)) throw new ConfigError([{ path: "", message: "must be a JSON object" }]);
  const { sources } = fromFile;
  if (sources === undefined) return { ...fromFile, ...fields };
  if (!Array.isArray(sources) || sources.length === 0) return fromFile;
  // How often to tick is the command's own business; everything else belongs to one source.
  if (sources.length > 1 && Object.keys(fields).some((name) => name !== "interval")) {
    throw new UsageError("flags about a source cannot be used with a configuration of several sources", {
      hint: "Put them into the configuration file.",
    });
  }
  return { ...fromFile, sources: sources.map((source: object) => ({ ...source, ...fields })) };
}

/**
 * Credentials of a source by flag or environment; undefined when there are none, so that those of an earlier run are used.
 *
 * @throws UsageError when only half of them is given
 */
export function givenCredentials(
  source: SourceConfig,
  line: CommandLine,
  environment: Record<string, string | undefined>,
): Credentials | undefined {
  const variables = credentialVariables(source.name, environment);
  const clientId = line.clientId ?? variables.clientId;
  const clientSecret = line.clientSecret ?? variables.clientSecret;
  if (!clientId && !clientSecret) return undefined;
  if (clientId && clientSecret) return { clientId, clientSecret };
  throw new UsageError(`the client ${clientId ? "secret" : "id"} is missing`, {
    hint: "Set both SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET in the environment.",
  });
}
