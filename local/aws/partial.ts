import { planDeleteObjects, planPutEvents, planQueueBatch } from "./partial-entries.ts";
import type { PartialPlan, Planner } from "./partial-plan.ts";
import { planBatchGet, planBatchWrite } from "./partial-tables.ts";
import type { Service } from "./services.ts";

/** The operations that can fail in part, and how. */
export const planners: Readonly<Record<Service, Readonly<Record<string, Planner>>>> = {
  dynamodb: { BatchGetItem: planBatchGet, BatchWriteItem: planBatchWrite },
  eventbridge: { PutEvents: planPutEvents },
  s3: { DeleteObjects: planDeleteObjects },
  secretsmanager: {},
  sqs: {
    ChangeMessageVisibilityBatch: planQueueBatch,
    DeleteMessageBatch: planQueueBatch,
    SendMessageBatch: planQueueBatch,
  },
};

/** @returns undefined for an operation that has no entries */
export function planPartial(
  service: Service,
  operation: string,
  body: Buffer,
  random: () => number,
): PartialPlan | "throttle" | undefined {
  return planners[service][operation]?.(body, random);
}
