import type { Operation } from "../../../lib/operator/operation.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { MINUTE } from "../../support/survey.ts";
import { memoryGraph } from "./graph.ts";
import { memoryLog } from "./log.ts";

const rawConfig = { baseUrl: "https://surveys.example.com", startFrom: "beginning", timeZone: "UTC" };

/** Runs an operation over a world in memory, with a minute of time. */
export function operate<Input, Result extends object>(
  world: MemoryWorld,
  operation: Operation<Input, Result>,
  input: Input,
  { graph = memoryGraph(world), logger = memoryLog(), time = MINUTE } = {},
): Promise<Result> {
  const deadline = world.time.now + time;
  const { ports } = world;
  return operation.run({ graph, ports, rawConfig, owner: "operator", deadline, abortsAt: deadline, logger }, input);
}
