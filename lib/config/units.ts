const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Powers of 1024, as AWS counts its own limits ("256 KB" is 262,144 bytes). */
const BYTES = { B: 1, KB: 1024, MB: 1024 * 1024 } as const;

export const MINUTE = MILLISECONDS.m;
export const DAY = MILLISECONDS.d;
/** Longest duration a field takes; it keeps sums of times far inside what a Date can hold. */
export const LONGEST = 3650 * DAY;

/**
 * Milliseconds of `"500ms"`, `"30s"`, `"5m"`, `"2h"` or `"7d"`: one whole number and one unit. `undefined` for anything else.
 *
 * @example parseDuration("5m") // 300000
 */
export function parseDuration(text: unknown): number | undefined {
  return amount(text, MILLISECONDS);
}

/**
 * Bytes of `"512B"`, `"200KB"` or `"1MB"`, with KB = 1024 bytes. `undefined` for anything else.
 *
 * @example parseSize("200KB") // 204800
 */
export function parseSize(text: unknown): number | undefined {
  return amount(text, BYTES);
}

/** A duration as a configuration would state it, in the largest unit that leaves a whole number. */
export function formatDuration(milliseconds: number): string {
  for (const unit of ["d", "h", "m", "s"] as const) {
    if (milliseconds !== 0 && milliseconds % MILLISECONDS[unit] === 0)
      return `${milliseconds / MILLISECONDS[unit]}${unit}`;
  }
  return milliseconds === 0 ? "0s" : `${milliseconds}ms`;
}

function amount(text: unknown, units: Readonly<Record<string, number>>): number | undefined {
  const parts = typeof text === "string" ? /^(\d{1,15})([A-Za-z]{1,2})$/.exec(text) : null;
  const factor = parts?.[2] !== undefined && Object.hasOwn(units, parts[2]) ? units[parts[2]] : undefined;
  return factor === undefined ? undefined : Number(parts?.[1]) * factor;
}
