import { Logger } from "@aws-lambda-powertools/logger";
import type { Context } from "aws-lambda";
import { createClients } from "../lib/aws/clients.ts";
import { mostDetailed } from "../lib/config/config.ts";
import { type BuiltConfig, readBuiltConfig } from "../lib/config/read-file.ts";
import { serviceName } from "../lib/monitoring/log.ts";
import type { OperationOutput } from "../lib/operator/run-operation.ts";
import { type Environment, leaseOwner, readEnvironment } from "../lib/run/environment.ts";
import { readPollInput } from "../lib/run/poll-input.ts";
import { pollScheduled } from "../lib/run/poll-scheduled.ts";
import { limitsOf, type PollOutput, pollSources } from "../lib/run/poll-sources.ts";
import { createSourceGraph, eventsOf } from "../lib/run/wiring.ts";

const environment = readEnvironment(process.env, import.meta.dirname);
const { raw: rawConfig, config } = await readConfig(environment);
const clients = createClients();
const graphs = config.sources
  .filter((source) => source.enabled)
  .map((source) => createSourceGraph({ ...source, events: eventsOf(config.events) }, environment, clients));
const { tickQueueUrl } = environment;
// Few stacks have one.
const sendTicks =
  tickQueueUrl === undefined ? undefined : (await import("../lib/run/tick-queue.ts")).createTickQueue(tickQueueUrl);
const logger = new Logger({
  serviceName: serviceName(),
  // The sources share this function, and each has a level of its own: none asks for more than this.
  ...(process.env.POWERTOOLS_LOG_LEVEL === undefined ? { logLevel: mostDetailed(config.sources) } : {}),
});

/** The scheduled tick: polls the source its schedule names, or all of them. By hand also what an operator's command asks for. */
export async function handler(event: unknown, context: Context): Promise<PollOutput | OperationOutput> {
  // Each line tells by which invocation it was written, and Powertools adds the trace id.
  logger.addContext(context);
  const input = readPollInput(
    event,
    graphs.map(({ source }) => source.name),
    context.invokedFunctionArn,
  );
  const chosen = graphs.filter(({ source }) => input.source === undefined || source.name === input.source);
  const request = {
    owner: leaseOwner(environment, context.awsRequestId),
    remaining: () => context.getRemainingTimeInMillis(),
    logger,
    requestId: context.awsRequestId,
    level: config.monitoring.level,
  };
  const [graph] = chosen;
  if (input.operation !== undefined && graph !== undefined) {
    // Loaded when it is asked for: no tick needs it.
    const { runOperation } = await import("../lib/operator/run-operation.ts");
    return runOperation({ ...request, ...limitsOf(graph, request), graph, config, rawConfig }, input.operation);
  }
  const asked = { ...request, graphs: chosen };
  return input.scheduled === true ? pollScheduled({ ...asked, sentAt: input.sentAt, sendTicks }) : pollSources(asked);
}

/** The schema is loaded only where the configuration is not known before the deployment: it would take its time of each cold start. */
async function readConfig({ configFile, parameters }: Environment): Promise<BuiltConfig> {
  if (parameters === undefined) return readBuiltConfig(configFile);
  const { configFromParameters } = await import("../lib/config/from-parameters.ts");
  return configFromParameters(parameters.said, parameters.more);
}
