import { Logger } from "@aws-lambda-powertools/logger";
import type { Context } from "aws-lambda";
import { createClients } from "../lib/aws/clients.ts";
import { mostDetailed } from "../lib/config/config.ts";
import { readDeployedConfig } from "../lib/config/deployed-config.ts";
import { serviceName } from "../lib/monitoring/log.ts";
import type { OperationOutput } from "../lib/operator/run-operation.ts";
import { leaseOwner, readEnvironment } from "../lib/run/environment.ts";
import { readPollInput } from "../lib/run/poll-input.ts";
import { limitsOf, type PollOutput, pollScheduled, pollSources } from "../lib/run/poll-sources.ts";
import { createSourceGraph, eventsOf } from "../lib/run/wiring.ts";

const environment = readEnvironment(process.env);
const { raw: rawConfig, config } = await readDeployedConfig(process.env, import.meta.dirname);
const clients = createClients();
const graphs = config.sources
  .filter((source) => source.enabled)
  .map((source) => createSourceGraph({ ...source, events: eventsOf(config.events) }, environment, clients));
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
  return (input.scheduled === true ? pollScheduled : pollSources)({ ...request, graphs: chosen });
}
