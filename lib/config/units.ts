const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Powers of 1024, as AWS counts its own limits ("256 KB" is 262,144 bytes). */
const BYTES = { B: 1, KB: 1024, MB: 1024 * 1024 } as const;

export const MINUTE = MILLISECONDS.m;
export const DAY = MILLISECONDS.d;
/** Longest duration a field takes; it keeps sums of times far inside what a Date can hold. */
export const LONGEST = 3650 * DAY;

/** Milliseconds of `"500ms"`, `"30s"`, `"5m"`, `"2h"` or `"7d"`: one whole number and one unit. `undefined` for anything else. */
export const parseDuration = (text: unknown) => amount(text, MILLISECONDS);

/** Bytes of `"512B"`, `"200KB"` or `"1MB"`. `undefined` for anything else. */
export const parseSize = (text: unknown) => amount(text, BYTES);

/** A duration as a configuration would state it, in the largest unit that leaves a whole number. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return "0s";
  const unit = (["d", "h", "m", "s"] as const).find((one) => milliseconds % MILLISECONDS[one] === 0) ?? "ms";
  return `${milliseconds / MILLISECONDS[unit]}${unit}`;
}

function amount(text: unknown, units: Readonly<Record<string, number>>): number | undefined {
  const [, count, unit = ""] = (typeof text === "string" && /^(\d{1,15})([A-Za-z]{1,2})$/.exec(text)) || [];
  const factor = units[unit];
  return factor === undefined ? undefined : Number(count) * factor;
}
