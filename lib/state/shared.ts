import type { AccountState } from "../polling/index.ts";
import { ITEM_VERSION } from "./item-version.ts";
import { SHARED, sourceKey } from "./keys.ts";
import { type Item, readItem, setAttributes, type Table, updateIf } from "./table-client.ts";
import { createTokenLock, type TokenLock } from "./token-lock.ts";

// The item by which the workers of a source tell each other what they have met, and an operator tells them to pause.

/** For how long an operator has paused a source (epoch milliseconds). */
interface OperatorPause {
  since: number;
  /** Without an end of its own `FOREVER`. */
  until: number;
}

/** A client waits for an hour at most, whatever it is asked for; and clocks differ. */
const LONGEST_PAUSE = 3_600_000 + 300_000;

const latestPause = (now: number): number => now + LONGEST_PAUSE;

/** Whether a pause that ends `until` has yet to be kept. */
function isPause(until: unknown, now: number): until is number {
  return typeof until === "number" && until > now && until <= latestPause(now);
}

/** A pause that an operator has asked for holds until its end, however far away that is. */
function readOperatorPause(item: Item, now: number): OperatorPause | undefined {
  const { since, until } = (item.operatorPause ?? {}) as Partial<Record<keyof OperatorPause, unknown>>;
  if (typeof since !== "number" || typeof until !== "number" || until <= now) return undefined;
  return { since, until };
}

/** What the item says of pauses and of the rate, as far as it counts at `now`. */
export function readShared(item: Item, now: number): Pick<AccountState, "pausedUntil" | "pausedSince" | "learned"> {
  const { pausedUntil, learned } = item;
  const { since, until } = readOperatorPause(item, now) ?? {};
  return {
    ...(isPause(pausedUntil, now) && { pausedUntil }),
    // Should the service's own last longer, it is still there afterwards.
    ...(until !== undefined && { pausedUntil: until, pausedSince: since }),
    ...(learned !== undefined && { learned }),
  };
}

export interface Shared extends TokenLock {
  /** Nothing is to be asked of the service before `until` (epoch milliseconds); an earlier end than the one there changes nothing. */
  pause(until: number): Promise<void>;
  /** Any plain object; the last writer wins. */
  saveLearned(learned: object): Promise<void>;
}

export interface SharedOptions {
  /** Epoch milliseconds. */
  now: () => number;
  sleep: (milliseconds: number) => Promise<void>;
}

export function createShared(table: Table, source: string, { now, sleep }: SharedOptions): Shared {
  const key = { pk: sourceKey(source), sk: SHARED };
  return {
    ...createTokenLock(table, source, { now, sleep }),
    async pause(until) {
      if (!isPause(until, now())) return;
      const paused = await updateIf(table, {
        Key: key,
        UpdateExpression: "SET pausedUntil = :until, v = :v",
        // What a clock that is far off has written can be shortened: it would keep everybody silent for good.
        ConditionExpression:
          "(attribute_not_exists(pausedUntil) OR pausedUntil < :until OR pausedUntil > :most) AND (attribute_not_exists(v) OR v = :v)",
        ExpressionAttributeValues: { ":until": until, ":most": latestPause(now()), ":v": ITEM_VERSION },
      });
      // A longer one is there, or this one by the SDK's own retry: either will do. A newer version will not.
      if (paused === undefined) await readItem(table, key);
    },
    saveLearned: (learned) => setAttributes(table, key, [["learned", learned]]),
  };
}

/** Pauses a source, or lets it go on: its ticks and backlogs look at this before they ask the service for anything. */
export async function setOperatorPause(table: Table, source: string, pause: OperatorPause | null): Promise<void> {
  await setAttributes(table, { pk: sourceKey(source), sk: SHARED }, [["operatorPause", pause]]);
}
