import type { Context } from "aws-lambda";
import { createClients } from "../lib/aws/clients.ts";
import type { SourceConfig } from "../lib/config/config.ts";
import { readDeployedConfig } from "../lib/config/deployed-config.ts";
import type { OperationOutput } from "../lib/operator/operations.ts";
import { createLogger } from "../lib/run/create-logger.ts";
import { leaseOwner, readEnvironment } from "../lib/run/environment.ts";
import { readPollInput } from "../lib/run/poll-input.ts";
import { pollScheduled } from "../lib/run/poll-scheduled.ts";
import { limitsOf, type PollOutput, pollSources } from "../lib/run/poll-sources.ts";
import { createSourceGraph, eventsOf, type SourceGraph } from "../lib/run/wiring.ts";

const environment = readEnvironment(process.env);
const { raw: rawConfig, config } = await readDeployedConfig(process.env, import.meta.dirname);
const clients = createClients();
const sources = config.sources.filter(({ enabled }) => enabled);
const graphs = new Map<string, SourceGraph>();
const { tickQueueUrl } = environment;
// Few stacks have one.
const sendTicks =
  tickQueueUrl === undefined ? undefined : (await import("../lib/run/tick-queue.ts")).createTickQueue(tickQueueUrl);
const logger = createLogger(config.sources);

/** The graph of a source, made when it is needed first: most invocations are for one of many. */
function graphOf(source: SourceConfig): SourceGraph {
  const graph =
    graphs.get(source.name) ?? createSourceGraph({ ...source, events: eventsOf(config.events) }, environment, clients);
  graphs.set(source.name, graph);
  return graph;
}

/** The scheduled tick: polls the source its schedule names, or all of them. By hand also what an operator's command asks for. */
export async function handler(event: unknown, context: Context): Promise<PollOutput | OperationOutput> {
  // Each line tells by which invocation it was written, and Powertools adds the trace id.
  logger.addContext(context);
  const names = sources.map(({ name }) => name);
  const input = readPollInput(event, names, context.invokedFunctionArn);
  const chosen = sources.filter(({ name }) => input.source === undefined || name === input.source).map(graphOf);
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
    const { runOperation } = await import("../lib/operator/operations.ts");
    return runOperation({ ...request, ...limitsOf(graph, request), graph, rawConfig }, input.operation);
  }
  const asked = { ...request, graphs: chosen };
  return input.scheduled === true ? pollScheduled({ ...asked, sentAt: input.sentAt, sendTicks }) : pollSources(asked);
}
