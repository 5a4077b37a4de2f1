import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../../cli/flags.ts";
import { bundleFunction, type FunctionName } from "../../infra/bundle.ts";
import type { SourceConfig } from "../../lib/config/index.ts";
import { proxyProblem } from "../../lib/config/proxy.ts";
import type { Credentials } from "../../lib/survey-api/index.ts";
import { fillCredentials, hasCredentials, names, provision } from "./provision.ts";
import type { PollSurveyHandler } from "./queue-loop.ts";
import type { RunConfiguration } from "./run-configuration.ts";
import type { PollHandler } from "./tick-loop.ts";

/** The functions as Lambda would call them, and the queue between them. */
export interface Handlers {
  poll: PollHandler;
  pollSurvey: PollSurveyHandler;
  workQueueUrl: string;
}

/** Makes what the stack would make, bundles the functions as the stack would, and loads them as Lambda would. */
export async function loadHandlers(
  { raw, config }: RunConfiguration,
  dataDir: string,
  credentials: (source: SourceConfig) => Credentials | undefined,
): Promise<Handlers> {
  const bus = config.bus.name;
  checkProxy(process.env.SURVEY_PROXY);
  const { secrets, workQueueUrl } = await provision({ bus, sources: config.sources.map((source) => source.name) });
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
    WORK_QUEUE_URL: workQueueUrl,
    // The data folder has one process at a time.
    ALONE: "true",
    SECRETS: JSON.stringify(secrets),
    // The progress view tells what there is to tell; standard output may belong to the events.
    POWERTOOLS_LOG_LEVEL: "SILENT",
    POWERTOOLS_METRICS_DISABLED: "true",
  });
  const load = async <Handler>(name: FunctionName): Promise<Handler> => {
    const { file } = bundleFunction(name, join(dataDir, "bundle", name), raw);
    const loaded = (await import(pathToFileURL(file).href)) as { handler: Handler };
    return loaded.handler;
  };
  return {
    poll: await load<PollHandler>("poll"),
    pollSurvey: await load<PollSurveyHandler>("poll-survey"),
    workQueueUrl,
  };
}

/** The functions read it, as in the stack; they would blame the stack for it. */
function checkProxy(proxy: string | undefined): void {
  const problem = proxy === undefined ? undefined : proxyProblem(proxy);
  if (problem === undefined) return;
  throw new UsageError(`SURVEY_PROXY ${problem}`, { hint: "Set it right in the environment, or unset it." });
}
