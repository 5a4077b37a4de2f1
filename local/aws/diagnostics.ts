import { channel } from "node:diagnostics_channel";
import type { Faults } from "./faults.ts";
import type { Service } from "./services.ts";

// What the embedded AWS tells of itself to whoever is in its process; of no cost while nobody listens.

/** Told once the services listen. */
export interface StartedEvent {
  faults: Faults;
}

/** Told of each request twice: before anything is done about it, and once its answer has been handed to the system. */
export interface AwsRequestEvent {
  service: Service;
  /** SDK name, e.g. `BatchGetItem`. */
  operation: string;
  phase: "arrived" | "answered";
}

export const startedChannel = channel("survey-poller:embedded-aws");
export const awsRequestChannel = channel("survey-poller:aws-request");
