import type { DeliveredEvent } from "../../support/command.ts";

/** What a repeat says as well: all but whether its words were certain when it was made. */
export function saidBy({ data: { labelsMayDiffer: _, ...data } }: DeliveredEvent["detail"]): string {
  return JSON.stringify(data);
}
