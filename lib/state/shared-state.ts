import type { Item } from "./table-client.ts";

/** The item that all workers of a source share. Times are epoch milliseconds. */
export interface SharedState {
  /** Absent when it is over. */
  pausedUntil?: number;
  /** Set by an operator; absent when it is over. */
  operatorPause?: OperatorPause;
  /** As it was saved. */
  learned?: unknown;
  /** When a refused token was replaced, oldest first; the last hour or so. */
  renewals: number[];
  /** The worker that asks for a token now; absent when none does. */
  lock?: { owner: string; until: number; fence: number };
}

/** For how long an operator has paused a source. */
export interface OperatorPause {
  since: number;
  /** Without an end of its own `FOREVER`. */
  until: number;
}

/** The last moment that a date can name. */
export const FOREVER = 8_640_000_000_000_000;

/** A client waits for an hour at most, whatever it is asked for; and clocks differ. */
const LONGEST_PAUSE = 3_600_000 + 300_000;

export const latestPause = (now: number): number => now + LONGEST_PAUSE;

/** Whether a pause that ends `until` has yet to be kept. */
export function isPause(until: unknown, now: number): until is number {
  return typeof until === "number" && until > now && until <= latestPause(now);
}

/** A pause that an operator has asked for holds until its end, however far away that is. */
function readOperatorPause(item: Item, now: number): OperatorPause | undefined {
  const { since, until } = (item.operatorPause ?? {}) as Partial<Record<keyof OperatorPause, unknown>>;
  if (typeof since !== "number" || typeof until !== "number" || until <= now) return undefined;
  return { since, until };
}

/** The attributes of the item, as far as they count at `now`. */
export function readShared(item: Item, now: number): SharedState {
  const { pausedUntil, learned, lockOwner, lockUntil, lockFence } = item;
  const isLocked = typeof lockOwner === "string" && typeof lockUntil === "number" && lockUntil >= now;
  const operatorPause = readOperatorPause(item, now);
  return {
    ...(isPause(pausedUntil, now) ? { pausedUntil } : {}),
    ...(operatorPause === undefined ? {} : { operatorPause }),
    ...(learned === undefined ? {} : { learned }),
    ...(isLocked ? { lock: { owner: lockOwner, until: lockUntil, fence: Number(lockFence) } } : {}),
    renewals: [...renewalMarks(item)].map(timeOfRenewal).sort((a, b) => a - b),
  };
}

/**
 * Renewals are a set of texts, each of its own. Adding one twice, as the SDK's own retry does, changes nothing and disturbs nobody else's.
 */
export const renewalMark = (at: number, owner: string): string => `${at}#${owner}`;
export const timeOfRenewal = (mark: string): number => Number.parseInt(mark, 10);

export function renewalMarks({ renewals }: Item): Set<string> {
  return renewals instanceof Set ? (renewals as Set<string>) : new Set();
}
