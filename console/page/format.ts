import { span as wholeSpan } from "../../cli/words.ts";
import { place } from "./place.ts";

// How figures are said. As the command says them.

export { ago, figure } from "../../cli/words.ts";

/** "14:03:10", in the zone that is chosen. */
export function clock(at: number): string {
  const zone = place.value.zone === "utc" ? { timeZone: "UTC" } : {};
  return new Date(at).toLocaleTimeString("en-GB", zone);
}

/** "1.2 s", "48 ms", "3 min". */
export function span(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : wholeSpan(milliseconds);
}
