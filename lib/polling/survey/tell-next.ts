import type { PollContext } from "../context.ts";
import { tell } from "../ledger/tell.ts";
import type { OutgoingEvent } from "../model/outgoing-event.ts";

/**
 * Tells subscribers of an event with a sequence number, once the one before it is told. The mark holds what a number says before the bus gets it (R19). So the next
 * poll tells an event that the bus did not take, unchanged. `make` gives nothing where there is nothing new.
 */
export async function tellNext(
  ctx: PollContext,
  make: () => OutgoingEvent | undefined | Promise<OutgoingEvent | undefined>,
): Promise<void> {
  await tellUntold(ctx);
  const event = await make();
  if (event === undefined) return;
  ctx.mark.untold = event;
  await tellUntold(ctx);
}

async function tellUntold(ctx: PollContext): Promise<void> {
  const { mark, ports, lease } = ctx;
  if (mark.untold === undefined) return;
  // fault: books-number-not-fixed
  await ports.state.saveMark(lease, mark);
  // fault: books-told-once
  await tell(ctx, [mark.untold]);
  delete mark.untold;
}
