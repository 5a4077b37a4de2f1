import { channel } from "node:diagnostics_channel";
import type { Operation } from "./operations.ts";

/** One HTTP request that was made, published when its outcome is known. */
export interface RequestEvent {
  operation: Operation;
  /** HTTP status; undefined when no answer came. */
  status: number | undefined;
  /** Milliseconds from sending to the last byte of the body. */
  duration: number;
  attempt: number;
}

export const requestChannel = channel("survey-poller:request");
export const tokenChannel = channel("survey-poller:token");
