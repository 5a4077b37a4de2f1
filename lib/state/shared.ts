import type { AccountState } from "../polling/index.ts";
import { ITEM_VERSION } from "./item-version.ts";
import { SHARED, sourceKey } from "./keys.ts";
import { type Item, readItem, setAttributes, type Table, updateIf } from "./table-client.ts";
import { createTokenLock, type SharedOptions } from "./token-lock.ts";

// The item by which the workers of a source tell each other what they have met, and an operator tells them to pause.

/** For how long an operator has paused a source (epoch milliseconds); without an end of its own until `FOREVER`. */
type OperatorPause = Record<"since" | "until", number>;

/** A client waits for an hour at most, whatever it is asked for; and clocks differ. */
const LONGEST_PAUSE = 3_600_000 + 300_000;

/** Whether a pause that ends `until` has yet to be kept. */
const isPause = (until: unknown, now: number): until is number =>
  typeof until === "number" && until > now && until <= now + LONGEST_PAUSE;

/** What the item says of pauses and of the rate, as far as it counts at `now`. */
export function readShared(item: Item, now: number): Pick<AccountState, "pausedUntil" | "pausedSince" | "learned"> {
  const { pausedUntil, learned } = item;
  const { since, until } = (item.operatorPause ?? {}) as Partial<Record<keyof OperatorPause, unknown>>;
  return {
    ...(isPause(pausedUntil, now) && { pausedUntil }),
    // It holds until its end, however far away that is. Should the service's own last longer, it is still there afterwards.
    ...(typeof since === "number" &&
      typeof until === "number" &&
      until > now && { pausedUntil: until, pausedSince: since }),
    ...(learned !== undefined && { learned }),
  };
}

export type Shared = ReturnType<typeof createShared>;

export function createShared(table: Table, source: string, options: SharedOptions) {
  const { now } = options;
  const key = { pk: sourceKey(source), sk: SHARED };
  return {
    renewToken: createTokenLock(table, source, options),
    /** Nothing is to be asked of the service before `until` (epoch milliseconds); an earlier end than the one there changes nothing. */
    async pause(until: number): Promise<void> {
      if (!isPause(until, now())) return;
      const paused = await updateIf(table, {
        Key: key,
        UpdateExpression: "SET pausedUntil = :until, v = :v",
        // What a clock that is far off has written can be shortened: it would keep everybody silent for good.
        ConditionExpression:
          "(attribute_not_exists(pausedUntil) OR pausedUntil < :until OR pausedUntil > :most) AND (attribute_not_exists(v) OR v = :v)",
        ExpressionAttributeValues: { ":until": until, ":most": now() + LONGEST_PAUSE, ":v": ITEM_VERSION },
      });
      // A longer one is there, or this one by the SDK's own retry: either will do. A newer version will not.
      if (paused === undefined) await readItem(table, key);
    },
    /** Any plain object; the last writer wins. */
    saveLearned: (learned: object) => setAttributes(table, key, [["learned", learned]]),
  };
}

/** Pauses a source, or lets it go on: its ticks and backlogs look at this before they ask the service for anything. */
export async function setOperatorPause(table: Table, source: string, pause: OperatorPause | null): Promise<void> {
  await setAttributes(table, { pk: sourceKey(source), sk: SHARED }, [["operatorPause", pause]]);
}
