import type { PollContext } from "../context.ts";
import { orLeave } from "../errors.ts";
import { hasReleased, tellReleased } from "../ledger/withheld.ts";
import { areUncompared, tellBooks } from "./tell-books.ts";

/** Tells subscribers what the work on a survey has shown beside responses that go out. A failure is left to the next poll, and holds up nothing else. */
export async function tellSubscribers(ctx: PollContext): Promise<void> {
  for (const tell of [tellBooks, tellReleased]) await orLeave(ctx, () => tell(ctx));
}

/** Whether anything of that is left. */
export function hasUntold(ctx: PollContext): boolean {
  return ctx.mark.untold !== undefined || areUncompared(ctx) || hasReleased(ctx.mark);
}
