import type { PollContext } from "./context.ts";
import { endsWork } from "./errors.ts";

// One response of which something fails each time keeps none of the others back.

/**
 * Leaves a response as due as it was: what failed of it alone is told at the end of the poll. A failure that concerns more than one
 * response is thrown again, and ends the work.
 */
export function leave(ctx: Pick<PollContext, "failure">, error: unknown): void {
  if (endsWork(error)) throw error;
  ctx.failure ??= error;
}

/** Does what concerns one response alone; undefined when that failed and the response is left. */
export async function byItself<T>(
  ctx: Pick<PollContext, "failure">,
  work: () => Promise<T>,
): Promise<NonNullable<T> | undefined> {
  try {
    return (await work()) ?? undefined;
  } catch (error) {
    leave(ctx, error);
    return undefined;
  }
}
