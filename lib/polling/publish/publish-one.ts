import type { PollContext } from "../context.ts";
import { holdLease } from "../lease.ts";
import type { OutgoingEvent } from "../ports.ts";
import { notTaken } from "./publish-batch.ts";

/** Publishes an event that has no contents of a response. Throws a `PublishFailedError` when the bus did not take it, or nobody knows whether it did. */
export async function publishOne(ctx: PollContext, event: OutgoingEvent): Promise<void> {
  const { publisher } = ctx.ports;
  const sealed = await publisher.seal(event);
  const [outcome] = await publisher.publish([sealed], () => holdLease(ctx));
  if (outcome?.kind !== "published") throw notTaken(outcome?.code ?? "UNKNOWN");
}
