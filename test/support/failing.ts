import type { MemoryWorld } from "./memory-ports.ts";

/** A failure of the service that concerns one response alone. */
export class Failure extends Error {
  readonly code = "SERVER_ERROR";
}

/** Makes an operation of the service fail until the function it gives is called. */
export function failing(world: MemoryWorld, operation: string): () => void {
  const hook = (call: { port: string; operation: string }): void => {
    if (call.port === "service" && call.operation === operation) throw new Failure("no answer");
  };
  world.before.push(hook);
  return () => {
    world.before.splice(world.before.indexOf(hook), 1);
  };
}
