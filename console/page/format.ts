import { place } from "./place.ts";

// How figures are said. As the command says them.

export const figure = (number: number): string => number.toLocaleString("en-US");

/** "14:03:10", in the zone that is chosen. */
export function clock(at: number): string {
  const zone = place.value.zone === "utc" ? { timeZone: "UTC" } : {};
  return new Date(at).toLocaleTimeString("en-GB", zone);
}

/** "1.2 s", "48 ms", "3 min". */
export function span(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  if (milliseconds < 3_600_000) return `${Math.floor(milliseconds / 60_000)} min`;
  if (milliseconds < 86_400_000) return `${Math.floor(milliseconds / 3_600_000)} h`;
  return `${Math.floor(milliseconds / 86_400_000)} d`;
}

/** "12 s ago". */
export function ago(at: number | null, now: number): string {
  if (at === null) return "never";
  const seconds = Math.max(0, Math.floor((now - at) / 1_000));
  return seconds < 60 ? `${seconds} s ago` : `${span(now - at)} ago`;
}
