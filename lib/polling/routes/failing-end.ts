import type { PollContext } from "../context.ts";
import { mayBePastEnd } from "../walk/failing-end.ts";

/** Milliseconds: a fault of the moment has passed by then. */
const PASSING = 600_000;

/**
 * Whether the failure to read a page behind what may be the last one, which stands as it was, is taken for the end of the list: not unless it has
 * been met long before, and no scan since has come to an end in another way. A list taken to end too early would cut a response.
 */
export function failsPastEnd({ mark, ports }: Pick<PollContext, "mark" | "ports">, error: unknown): boolean {
  if (!mayBePastEnd(error)) return false;
  const now = ports.clock.now();
  // A clock that was far ahead once must not put the end off for as long.
  mark.endFailedAt = Math.min(mark.endFailedAt ?? now, now);
  return mark.endFailedAt + PASSING <= now;
}
