import { channel } from "node:diagnostics_channel";
import type { Operation } from "./paths.ts";

// What the client tells of its work; of no cost while nobody listens. Nothing secret or personal is in any of it.

/** One HTTP request that was made, told when its outcome is known. */
export interface RequestEvent {
  operation: Operation;
  /** HTTP status; undefined when no answer came. */
  status: number | undefined;
  /** Milliseconds from sending to the last byte of the body; waiting for its turn is not in it. */
  duration: number;
  /** 1 for the first request of a call. */
  attempt: number;
}

/** The service refused a request (429), or asked for time (503): nothing goes out for a while. Told once for what was refused together. */
export interface PauseEvent {
  operation: Operation;
  /** Milliseconds. */
  duration: number;
  /** Whether the service said for how long; where that was too short before, it lasts longer. */
  asked: boolean;
  /** The rate allowed from now on. */
  requestsPerSecond: number | undefined;
}

export const requestChannel = channel("survey-poller:request");
export const pauseChannel = channel("survey-poller:pause");
