import { eventsSchema } from "../../lib/config/events.ts";
import { sourceSchema } from "../../lib/config/source.ts";
import type { PollingSource } from "../../lib/polling/model/source.ts";
import { eventsOf } from "../../lib/run/wiring.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A source as the configuration gives it when nothing but its address is stated. */
export function defaultSource(changes: Partial<PollingSource> = {}): PollingSource {
  const source = sourceSchema({ deployed: true }).parse({ baseUrl: "https://surveys.example.com" });
  return { ...source, events: eventsOf(eventsSchema.parse({})), ...changes };
}

/** The same with the least budget for slow work: what is kept with it is kept with any. */
export const leastSource = (): PollingSource => defaultSource({ backgroundRequests: 1 });
