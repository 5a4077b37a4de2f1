import { type EmbeddedAws, type EmbeddedAwsOptions, startEmbeddedAws } from "../../../lib/local/aws/index.ts";
import { createFaults, type Faults } from "./faults.ts";
import { operationOf } from "./operation.ts";

/** The embedded AWS for tests: its requests are counted, and faults can be set. */
export interface TestedAws extends EmbeddedAws {
  faults: Faults;
  /** Requests by `service:operation`, e.g. `{ "dynamodb:GetItem": 3 }`; those that met a fault included. */
  counters(): Record<string, number>;
}

export async function startAws(options: EmbeddedAwsOptions): Promise<TestedAws> {
  const aws = await startEmbeddedAws(options);
  return { ...aws, counters: countRequests(aws), faults: createFaults(aws) };
}

/** Gives the function that tells how many requests there were of each operation. */
export function countRequests(aws: Pick<EmbeddedAws, "use">): () => Record<string, number> {
  const counts: Record<string, number> = {};
  aws.use((service, request, response, next) => {
    const key = `${service}:${operationOf(service, request)}`;
    counts[key] = (counts[key] ?? 0) + 1;
    next(request, response);
  });
  return () => ({ ...counts });
}
