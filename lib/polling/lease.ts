import type { PollContext } from "./context.ts";
import { LeaseLostError } from "./errors.ts";
import type { Lease } from "./model/mark.ts";
import type { Ports } from "./ports.ts";

/** A lease is short, so that the work of a killed process goes on soon, and is prolonged while there is work. */
export const LEASE_DURATION = 15_000;
/** A request to the bus is over by then, one way or the other. */
export const PUBLISH_TIMEOUT = 5_000;

/** The part of a context that has to do with its lease. */
export type LeaseHolder = Pick<PollContext, "lost" | "lease"> & { ports: Pick<Ports, "clock" | "state"> };

/** Called before anything that must not happen without the lease: prolongs it in time, or throws `LeaseLostError`. */
export async function holdLease(ctx: LeaseHolder): Promise<void> {
  const { clock, state } = ctx.ports;
  const { lease } = ctx;
  const isFresh = (): boolean => clock.now() < lease.until - LEASE_DURATION / 2;
  if (ctx.lost !== undefined) throw ctx.lost;
  // One renewal is enough for all who need it at the same time.
  for (let running = renewals.get(lease); running !== undefined && !isFresh(); running = renewals.get(lease)) {
    await running.catch(() => undefined);
  }
  if (isFresh()) return;
  const renewal = state.renew(lease, LEASE_DURATION).finally(() => renewals.delete(lease));
  renewals.set(lease, renewal);
  await renewal;
  if (clock.now() >= lease.until - PUBLISH_TIMEOUT) {
    throw new LeaseLostError("the lease ran out while it was being prolonged", { retryable: true });
  }
}

/** Renewals under way. */
const renewals = new WeakMap<Lease, Promise<void>>();

/**
 * Prolongs the lease while `work` runs, also when that waits for the service for long. Whoever finds the lease lost
 * stops at its next `holdLease`.
 */
export async function underLease<T>(ctx: LeaseHolder, work: () => Promise<T>): Promise<T> {
  const stop = ctx.ports.clock.every(LEASE_DURATION / 3, () => {
    holdLease(ctx).catch((error: unknown) => {
      // Anything else may pass: the next call, or whoever needs the lease, tries again.
      if (error instanceof LeaseLostError) ctx.lost ??= error;
    });
  });
  try {
    return await work();
  } finally {
    stop();
  }
}
