import { localTime } from "./dates.ts";
import { hash32 } from "./hashing.ts";
import type { SimulatedResponse } from "./responses.ts";
import type { ListSettings } from "./settings.ts";

// Far enough to mix a response with a few neighbours, near enough to keep it within some pages.
export const interleaveStep: Record<ListSettings["sortKey"], number> = {
  responseId: 4,
  dateStart: 45,
  dateCompleted: 45,
  hash: 2 ** 22,
};

/** An integer that sorts as the service sorts; dates as the strings shown, a missing one before all others. */
export function sortKey(seed: number, response: SimulatedResponse, settings: ListSettings): number {
  const seconds = (instant: number) => Math.floor(localTime(instant, settings.zone) / 1000);
  switch (settings.sortKey) {
    case "responseId":
      return response.responseId;
    case "hash":
      return hash32(seed, response.responseId, 20) >>> 2;
    case "dateStart":
      return seconds(response.startedAt);
    case "dateCompleted":
      if (response.completedAt !== null) return seconds(response.completedAt);
      return settings.openDateCompleted === "dateStart" ? seconds(response.startedAt) : -1;
  }
}
