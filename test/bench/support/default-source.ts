import { parseConfig } from "../../../lib/config/index.ts";
import type { PollingSource } from "../../../lib/polling/index.ts";
import { eventsOf } from "../../../lib/run/wiring.ts";

/** A source as the configuration gives it when nothing but its address is stated. */
export function defaultSource(changes: Partial<PollingSource> = {}): PollingSource {
  const { sources, events } = parseConfig({ baseUrl: "https://surveys.example.com" }, { deployed: true });
  const [source] = sources;
  if (source === undefined) throw new Error("no source");
  return { ...source, events: eventsOf(events), ...changes };
}
