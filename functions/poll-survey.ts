import { Logger } from "@aws-lambda-powertools/logger";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { createClients } from "../lib/aws/clients.ts";
import { mostDetailed, parseConfig } from "../lib/config/index.ts";
import { readConfigFile } from "../lib/config/read-file.ts";
import { leaseOwner, readEnvironment } from "../lib/run/environment.ts";
import { runSlices } from "../lib/run/slices/run-slices.ts";
import { createSourceGraph } from "../lib/run/wiring.ts";

const environment = readEnvironment(process.env, import.meta.dirname);
const config = parseConfig(readConfigFile(environment.configFile), { deployed: false });
const clients = createClients();
const graphs = config.sources
  .filter((source) => source.enabled)
  .map((source) => createSourceGraph(source, environment, clients, "slice"));
const logger = new Logger({
  serviceName: "survey-poller",
  ...(process.env.POWERTOOLS_LOG_LEVEL === undefined ? { logLevel: mostDetailed(config.sources) } : {}),
});

/** The worker: one slice of a survey's catch-up for each message of the work queue. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const failed = await runSlices({
    graphs,
    messages: event.Records,
    owner: leaseOwner(environment, context.awsRequestId),
    remaining: () => context.getRemainingTimeInMillis(),
    logger,
    level: config.monitoring.level,
  });
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}
