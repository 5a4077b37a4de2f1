import { LeaseLostError } from "./errors.ts";
import type { Role, RoleLease } from "./model/account.ts";
import type { Lease } from "./model/survey-state.ts";
import type { Ports } from "./ports.ts";

/** A lease is short, so that the work of a killed process goes on soon, and is prolonged while there is work. */
export const LEASE_DURATION = 15_000;
/** A request to the bus is over by then, one way or the other. */
export const PUBLISH_TIMEOUT = 5_000;

export interface LeaseHolder {
  readonly lease: Lease | RoleLease;
  readonly ports: Pick<Ports, "clock" | "state">;
}

/** Called before anything that must not happen without the lease: prolongs it in time, or throws `LeaseLostError`. */
export async function holdLease({ lease, ports }: LeaseHolder): Promise<void> {
  const { clock, state } = ports;
  const isFresh = (): boolean => clock.now() < lease.until - LEASE_DURATION / 2;
  // fault: lost-lease-unnoticed
  if (lease.lost !== undefined) throw lease.lost;
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
const renewals = new WeakMap<LeaseHolder["lease"], Promise<void>>();

/** Prolongs the lease while `work` runs. Whoever finds it lost stops at its next `holdLease`. */
export async function underLease<T>(holder: LeaseHolder, work: () => Promise<T>): Promise<T> {
  const stop = holder.ports.clock.every(LEASE_DURATION / 3, () => {
    holdLease(holder).catch((error: unknown) => {
      // Anything else may pass: the next call, or whoever needs the lease, tries again.
      if (error instanceof LeaseLostError) holder.lease.lost ??= error;
    });
  });
  try {
    return await work();
  } finally {
    stop();
  }
}

export interface RoleHolder extends LeaseHolder {
  lease: RoleLease;
}

/** Does the work of a role. Undefined where another invocation has that role. A holder that has lost it begins nothing more. */
export async function inRole<T>(
  role: Role,
  { ports, owner }: { ports: Pick<Ports, "clock" | "state">; owner: string },
  work: (holder: RoleHolder) => Promise<T>,
): Promise<T | undefined> {
  const lease = await ports.state.takeRole(role, owner, LEASE_DURATION);
  if (lease === undefined) return undefined;
  const holder: RoleHolder = { ports, lease };
  try {
    return await underLease(holder, () => work(holder));
  } finally {
    // A lease that is not given back runs out.
    await ports.state.giveBackRole(lease).catch(() => undefined);
  }
}
