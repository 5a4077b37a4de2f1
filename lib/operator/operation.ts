import type * as z from "zod";
import type { Config } from "../config/index.ts";
import type { Log } from "../monitoring/log.ts";
import type { SourceGraph } from "../run/wiring.ts";

/** What an operation works with: one source, for the time of one invocation. */
export interface OperationContext {
  graph: SourceGraph;
  config: Config;
  /** The configuration as the bundle holds it. */
  rawConfig: unknown;
  /** Name under which leases are taken. */
  owner: string;
  /** Epoch milliseconds after which nothing new is begun; and at which requests to the service are aborted. */
  deadline: number;
  abortsAt: number;
  logger: Log;
}

/**
 * What an operator's command asks of the function, by its input `{"source":"main","operation":{"kind":"…"}}`. One invocation does what it can in
 * its time; an operation that may take longer says in its result where to go on.
 */
export interface Operation<Input, Result extends object> {
  /** What stands beside `kind`. */
  input: z.ZodType<Input>;
  run: (context: OperationContext, input: Input) => Promise<Result>;
}
