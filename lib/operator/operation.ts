import type * as z from "zod";
import type { Config } from "../config/index.ts";
import type { Log } from "../monitoring/log.ts";
import type { SourceGraph } from "../run/wiring.ts";

/** The context of an operation: one source, for the time of one invocation. */
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
 * An operation of the function, which a command asks for by the input `{"source":"main","operation":{"kind":"…"}}`. One invocation does
 * what it can in its time. An operation that may take longer says in its result where to go on.
 */
export interface Operation<Input, Result extends object> {
  /** The fields beside `kind`. */
  input: z.ZodType<Input>;
  run: (context: OperationContext, input: Input) => Promise<Result>;
}
