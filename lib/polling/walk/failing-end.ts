import { errorCode } from "../../errors.ts";
import type { PollContext } from "../context.ts";

// Some services answer a page number that is too high with a fault of their own, or with something that is no list: nothing at all, say.

const ANSWERS: ReadonlySet<string> = new Set(["SERVER_ERROR", "UNREADABLE_BODY"]);

/** Milliseconds: a fault of the moment has passed by then. */
const PASSING = 600_000;

/** Whether a failure to read a page may be how the service answers behind the end of a list. */
export function mayBePastEnd(error: unknown): boolean {
  return ANSWERS.has(errorCode(error));
}

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
