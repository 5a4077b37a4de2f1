import { join } from "node:path";
import { bundleFunction } from "../../../infra/bundle.ts";
import { UsageError } from "../../cli/errors.ts";
import type { SourceConfig } from "../../config/index.ts";
import { proxyProblem } from "../../config/proxy.ts";
import { secretNames } from "../../config/secret-names.ts";
import type { Credentials } from "../../survey-api/index.ts";
import { createLocalFunction, type LocalFunction, startFunction } from "./function-thread.ts";
import { type LastRun, writeLastRun } from "./last-run.ts";
import { fillCredentials, names, provision } from "./provision.ts";
import type { RunConfiguration } from "./run-configuration.ts";

/**
 * Makes what the stack would make, bundles the function as the stack would, and loads it as Lambda would.
 *
 * @param place kept for commands beside this run and after it
 */
export async function loadFunction(
  { raw, config }: RunConfiguration,
  place: { dataDir: string } & Pick<LastRun, "aws" | "events">,
  credentials: (source: SourceConfig) => Credentials | undefined,
): Promise<LocalFunction> {
  const bus = config.bus.name;
  checkProxy(process.env.SURVEY_PROXY);
  await provision({ bus, sources: config.sources });
  for (const source of config.sources) {
    const { credentials: secretId } = secretNames(source, { prefix: names.secrets });
    if (!(await fillCredentials(secretId, credentials(source)))) {
      throw new UsageError("there are no credentials for the survey service", {
        hint: "Set SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET in the environment.",
      });
    }
  }
  const variables = {
    TABLE_NAME: names.table,
    BUS_NAME: bus,
    CLAIM_CHECK_BUCKET: names.bucket,
    SECRETS_PREFIX: names.secrets,
  };
  writeLastRun(place.dataDir, { variables, aws: place.aws, events: place.events });
  const bundle = bundleFolder(place.dataDir);
  bundleFunction("poll", bundle, raw);
  const environment = {
    ...(process.env as Record<string, string>),
    ...place.aws,
    ...variables,
    // The data folder has one process at a time.
    ALONE: "true",
    // The progress view tells what there is to tell; standard output may belong to the events.
    POWERTOOLS_LOG_LEVEL: "SILENT",
    POWERTOOLS_METRICS_DISABLED: "true",
  };
  return createLocalFunction(() => startFunction(bundle, environment, place.dataDir));
}

/** Where the function lies that a run has bundled. */
export function bundleFolder(dataDir: string): string {
  return join(dataDir, "bundle", "poll");
}

/** The function reads it, as in the stack; it would blame the stack for it. */
function checkProxy(proxy: string | undefined): void {
  const problem = proxy === undefined ? undefined : proxyProblem(proxy);
  if (problem === undefined) return;
  throw new UsageError(`SURVEY_PROXY ${problem}`, { hint: "Set it right in the environment, or unset it." });
}
