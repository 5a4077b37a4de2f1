import type { Operation } from "../../../lib/operator/operation.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { MINUTE } from "../../support/survey.ts";
import { memoryGraph } from "./graph.ts";
import { memoryLog } from "./log.ts";

const rawConfig = { baseUrl: "https://surveys.example.com", startFrom: "beginning", timeZone: "UTC" };

/** Runs an operation over a world in memory, with a minute of time; `fields` are those of the source's configuration that are not the usual ones. */
export function operate<Input, Result extends object>(
  world: MemoryWorld,
  operation: Operation<Input, Result>,
  input: Input,
  logger = memoryLog(),
  { time = MINUTE, fields = {} }: { time?: number; fields?: Record<string, unknown> } = {},
): Promise<Result> {
  const deadline = world.time.now + time;
  return operation.run(
    {
      ...{ graph: memoryGraph(world, fields), ports: world.ports, rawConfig },
      ...{ owner: "operator", deadline, abortsAt: deadline, logger },
    },
    input,
  );
}
