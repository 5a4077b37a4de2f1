import { LeaseLostError } from "./errors.ts";
import type { Privacy } from "./model/privacy.ts";
import type { Lease, Mark } from "./model/state-types.ts";
import type { VolatileFields } from "./model/volatile-fields.ts";
import type { Ports } from "./ports.ts";
import type { OutageWatch } from "./publish/outage-watch.ts";
import type { Selection } from "./tick/due.ts";

/** The part of a source's configuration that polling acts upon. Durations are milliseconds. */
export interface PollingSource {
  name: string;
  surveys: Selection;
  /** "now", "beginning" or YYYY-MM-DD. */
  startFrom: string;
  interval: number;
  timeZone?: string | undefined;
  enrich: { metrics: boolean; metadata: boolean };
  privacy: Privacy;
  enrichmentPatience: number;
  absentAfter: number;
  backgroundRequests: number;
  concurrency: number;
  headPages: number;
  fullPoll: { every: number };
  lookBack: { every: number; window: number };
  scrub: { every: number };
  retention: { quarantine: number };
}

/** Requests that slow work may still make now: pages count by themselves. */
export interface Allowance {
  left(): number;
  /** Counts requests of another kind; less than nothing gives some back. */
  spend(requests: number): void;
}

/** What the poll of one survey works with. */
export interface PollContext {
  ports: Ports;
  source: PollingSource;
  surveyId: number;
  lease: Lease;
  /** Epoch milliseconds at which the lease was taken. */
  since: number;
  /** Changed in memory as the poll goes on; written under the lease's fence. */
  mark: Mark;
  /** What is not compared of the survey's records; what is learned of it stands in the mark. */
  volatile: VolatileFields;
  /** Epoch milliseconds after which no new page is begun. */
  deadline: number;
  /** The same for a catch-up, the rest of which is left to another process. */
  streamUntil: number;
  /** Whether a page of fewer than 100 records was the last whenever it was met; undefined: not known yet. */
  shortPageEnds: boolean | undefined;
  /** Largest credible date read in the source's first tick; undefined while nothing was read. */
  sourceFloor: string | undefined;
  /** Epoch milliseconds of the source's first tick, unless that is this one. */
  firstTick: number | undefined;
  /** Largest of the counts that the survey list shows; undefined when it shows none. */
  listedCount: number | undefined;
  /** What a background poll may still do; undefined in a poll for news. */
  allowance: Allowance | undefined;
  /** Shared by all polls of a tick. */
  watch: OutageWatch;
  /** Whether this poll went on with a pass that an earlier one had begun, or left one for a later one. */
  resumed: boolean;
  /** Set when the lease could not be prolonged meanwhile. */
  lost: unknown;
  /** The first failure that concerned some response alone, which is left to the next poll (see by-itself.ts). */
  failure: unknown;
  /** Largest credible date that this poll has read. */
  newestSeen: string | undefined;
}

/** What is news is not for the background budget: the pages that `work` reads are given back. */
export async function asNews<T>({ allowance }: Pick<PollContext, "allowance">, work: () => Promise<T>): Promise<T> {
  if (allowance === undefined) return work();
  const before = allowance.left();
  try {
    return await work();
  } finally {
    allowance.spend(allowance.left() - before);
  }
}

/** What a catch-up asks waits behind what other surveys, and this one after it, have to ask. */
export async function asBacklog<T>(ctx: Pick<PollContext, "ports">, work: () => Promise<T>): Promise<T> {
  const { ports } = ctx;
  ctx.ports = { ...ports, service: ports.backlog ?? ports.service };
  try {
    return await work();
  } finally {
    ctx.ports = ports;
  }
}

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
