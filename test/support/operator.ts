import type { OperationContext } from "../../lib/operator/operation.ts";
import type { PollingSource } from "../../lib/polling/index.ts";
import type { MemoryWorld } from "./memory-ports.ts";
import { MINUTE, sourceDefaults } from "./survey.ts";

/** What an operation works with, over ports in memory; of the graph and the configuration no more than operations use. */
export function operatorOf(world: MemoryWorld, source: Partial<PollingSource> = {}): OperationContext {
  const graph = {
    source: { ...sourceDefaults, ...source },
    service: "service-1",
  };
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  return {
    graph,
    ports: world.ports,
    rawConfig: {},
    owner: "operator",
    deadline: world.time.now + MINUTE,
    abortsAt: world.time.now + 2 * MINUTE,
    logger: quiet,
  } as unknown as OperationContext;
}
