import { eventsSchema } from "../../lib/config/events.ts";
import { sourceSchema } from "../../lib/config/source.ts";
import type { PollingSource } from "../../lib/polling/index.ts";
import { eventsOf } from "../../lib/run/wiring.ts";

/** A source as the configuration gives it when nothing but its address is stated. */
export function defaultSource(changes: Partial<PollingSource> = {}): PollingSource {
  const source = sourceSchema({ deployed: true }).parse({ baseUrl: "https://surveys.example.com" });
  return { ...source, events: eventsOf(eventsSchema.parse({})), ...changes };
}
