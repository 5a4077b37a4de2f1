import type { Delivery } from "../oracle/deliveries.ts";
import type { Duty } from "../oracle/duty.ts";
import { isUndated } from "../service/odd-records.ts";
import type { SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";

/** Notes the rare states that what has become of each response shows, at the end of a history. */
export function noteResponses(
  world: World,
  { deliveriesOf, dutyNow }: { deliveriesOf(id: number): readonly Delivery[]; dutyNow(response: SimResponse): Duty },
): void {
  for (const response of world.responses.values()) {
    if (response.completedAt === undefined || dutyNow(response) !== "must") continue;
    noteResponse(world, response, deliveriesOf(response.id)[0]?.at);
  }
}

function noteResponse({ sometimes }: World, response: SimResponse, emittedAt: number | undefined): void {
  const { completedAt = 0, removedAt, noticed, versions, odd } = response;
  if (removedAt !== undefined && (emittedAt ?? Infinity) > removedAt) sometimes("deleted before it was emitted");
  if (emittedAt === undefined) return;
  if (removedAt !== undefined && removedAt < emittedAt) sometimes("emitted when it was gone");
  if (noticed?.atHead === false && noticed.listedOpenSince === undefined) sometimes("late completion below the head");
  if (versions.some(({ from }) => from > completedAt && from < emittedAt)) sometimes("changed before it was emitted");
  const [first, last] = [versions.find(({ state }) => state === "completed"), versions.at(-1)];
  if (first !== undefined && last !== undefined && last.from > emittedAt && last.records.length > first.records.length)
    sometimes("grown after its event");
  if (isUndated(odd)) sometimes("no credible date, and emitted");
}
