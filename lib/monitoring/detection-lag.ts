import type { AccountState, SentEvent } from "../polling/index.ts";

/** The state of the source as the run began, as far as it is known. */
export type LagBasis = { [Field in "firstTick" | "lastTick"]?: AccountState[Field] | undefined };

/**
 * Milliseconds from the completion of a response to its event, as far as there is something honest to say.
 *
 * With a time zone it is that. Without one nobody knows when anything completed. Then it is the time since the end of the source's last
 * tick, for responses that the head shows: for so long nobody had looked. It leaves out how late the service shows them, and those further
 * down.
 *
 * Undefined where nothing is late: history from before the source's first tick, an event that replaces another one, a redriven response, and
 * a time that a clock change makes doubtful.
 */
export function detectionLag(
  { type, origin, detectedAt, completed = {} }: Pick<SentEvent, "type" | "origin" | "detectedAt" | "completed">,
  { firstTick, lastTick }: LagBasis,
): number | undefined {
  if (type !== "response.completed" || origin === "replay" || completed.ambiguous === true) return undefined;
  if (completed.at === undefined) {
    if (origin !== "head" || lastTick === undefined) return undefined;
    return Math.max(0, detectedAt - lastTick);
  }
  const completedAt = Date.parse(completed.at);
  if (firstTick === undefined || completedAt < firstTick) return undefined;
  return Math.max(0, detectedAt - completedAt);
}

/** Values that one line of metrics holds, at most: the format takes 100. */
const MOST_VALUES = 99;

/** The values, or so many of them spread evenly by rank, with the least and the greatest. */
export function spread(values: readonly number[], most = MOST_VALUES): number[] {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length <= most) return sorted;
  return Array.from({ length: most }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (most - 1))] ?? 0);
}
