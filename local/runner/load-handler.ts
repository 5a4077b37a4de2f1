import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleFunction } from "../../infra/bundle.ts";
import type { SourceConfig } from "../../lib/config.ts";
import type { Credentials } from "../../lib/survey-api/index.ts";
import { UsageError } from "../command-line.ts";
import { fillCredentials, hasCredentials, names, provision } from "./provision.ts";
import type { RunConfiguration } from "./run-configuration.ts";
import type { PollHandler } from "./tick-loop.ts";

/** Makes what the stack would make, bundles the function as the stack would, and loads it as Lambda would. */
export async function loadHandler(
  { raw, config }: RunConfiguration,
  dataDir: string,
  credentials: (source: SourceConfig) => Credentials | undefined,
): Promise<PollHandler> {
  const bus = config.bus.name;
  const secrets = await provision({ bus, sources: config.sources.map((source) => source.name) });
  for (const source of config.sources) {
    const ids = secrets[source.name];
    if (ids === undefined) continue;
    const given = credentials(source);
    if (given !== undefined)
      await fillCredentials(ids.credentials, { clientId: given.clientId, clientSecret: given.clientSecret });
    else if (!(await hasCredentials(ids.credentials))) {
      throw new UsageError("there are no credentials for the survey service", {
        hint: "Give --client-id and --client-secret, or SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET in the environment.",
      });
    }
  }
  Object.assign(process.env, {
    TABLE_NAME: names.table,
    BUS_NAME: bus,
    CLAIM_CHECK_BUCKET: names.bucket,
    SECRETS: JSON.stringify(secrets),
    // The progress view tells what there is to tell; standard output may belong to the events.
    POWERTOOLS_LOG_LEVEL: "SILENT",
    POWERTOOLS_METRICS_DISABLED: "true",
  });
  const { file } = bundleFunction("poll", join(dataDir, "bundle"), raw);
  const loaded = (await import(pathToFileURL(file).href)) as { handler: PollHandler };
  return loaded.handler;
}
