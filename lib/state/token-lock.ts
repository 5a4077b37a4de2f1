import { randomUUID } from "node:crypto";
import { errorCode } from "../errors.ts";
import { ITEM_VERSION } from "./item-version.ts";
import { type Item, readItem, type Table, updateIf } from "./table-client.ts";

/** Milliseconds after which a lock whose holder died is free: a token request is over by then, but for the slowest. */
const LOCK_DURATION = 30_000;
/** Milliseconds for which another's renewal is waited for: better a token too many than a tick without one. */
const MOST_WAIT = 20_000;
/** Milliseconds before the first look whether the other one is done, doubled for each further one: most are done in a moment. */
const FIRST_LOOK = 50;
const MOST_BETWEEN_LOOKS = 1_000;
/** Milliseconds for which renewals are kept: far longer than anybody counts them. */
const RENEWALS_KEPT = 3_600_000;

export interface TokenLock {
  /**
   * Does `work` while no other worker does, once `look` has given nothing under the lock. Who has to wait looks again and again, and what `look`
   * gives is the outcome. After 20 seconds, or when the table does not answer, `work` is done without the lock.
   */
  withTokenLock<T>(work: (turn: TokenTurn) => Promise<T>, look: () => Promise<T | undefined>): Promise<T>;
}

export interface TokenTurn {
  /** Epoch milliseconds of the renewals noted by all workers, oldest first. */
  renewals: readonly number[];
  /** Notes one more; it is in the table when `withTokenLock` is done. */
  record(at: number): void;
}

interface Held {
  owner: string;
  /** Undefined: gone on without the lock. */
  fence: number | undefined;
  /** As they are in the item. */
  marks: Set<string>;
}

/**
 * Renewals are a set of texts, each of its own. Adding one twice, as the SDK's own retry does, changes nothing and disturbs nobody else's.
 */
const renewalMark = (at: number, owner: string): string => `${at}#${owner}`;
const timeOfRenewal = (mark: string): number => Number.parseInt(mark, 10);

function renewalMarks({ renewals }: Item): Set<string> {
  return renewals instanceof Set ? (renewals as Set<string>) : new Set();
}

/** Epoch milliseconds of the renewals that the item holds, oldest first. */
export const renewalTimes = (item: Item): number[] => [...renewalMarks(item)].map(timeOfRenewal).sort((a, b) => a - b);

export function createTokenLock(
  table: Table,
  key: Item,
  { now, sleep }: { now: () => number; sleep: (milliseconds: number) => Promise<void> },
): TokenLock {
  /** The item, whose `lockOwner` is then the one who has the lock. */
  async function acquire(owner: string): Promise<Item> {
    const taken = await updateIf(table, {
      Key: key,
      UpdateExpression: "SET lockOwner = :me, lockUntil = :until, v = :v ADD lockFence :one",
      // A lock of a clock that is far ahead would make everybody wait at every renewal.
      ConditionExpression:
        "(attribute_not_exists(lockUntil) OR lockUntil < :now OR lockUntil > :most) AND (attribute_not_exists(v) OR v = :v)",
      ExpressionAttributeValues: {
        ":me": owner,
        ":now": now(),
        ":until": now() + LOCK_DURATION,
        ":most": now() + 10 * LOCK_DURATION,
        ":v": ITEM_VERSION,
        ":one": 1,
      },
      ReturnValues: "ALL_NEW",
    });
    // The SDK's own retry of a taking that did apply fails: the item says whose lock it is.
    return taken ?? readItem(table, key);
  }

  async function acquireOrGiveUp(owner: string): Promise<{ item: Item; isMine: boolean } | undefined> {
    try {
      const item = await acquire(owner);
      return { item, isMine: item.lockOwner === owner };
    } catch (error) {
      if (errorCode(error) === "STATE_REFUSED") throw error;
      // Tokens are needed also while the table is not to be had.
      return undefined;
    }
  }

  /** Renewals are added whoever has the lock now: they did take place. */
  async function release({ owner, fence, marks }: Held, recorded: string[]): Promise<void> {
    const values = { ":me": owner, ":fence": fence };
    const released =
      fence !== undefined &&
      (await updateIf(table, {
        Key: key,
        UpdateExpression: `REMOVE lockOwner, lockUntil${recorded.length > 0 ? " ADD renewals :new" : ""}`,
        ConditionExpression: "lockOwner = :me AND lockFence = :fence",
        ExpressionAttributeValues: recorded.length > 0 ? { ...values, ":new": new Set(recorded) } : values,
      })) !== undefined;
    if (recorded.length === 0) return;
    if (!released) await change("ADD", new Set(recorded));
    const old = [...marks].filter((mark) => Math.abs(now() - timeOfRenewal(mark)) > RENEWALS_KEPT);
    if (old.length > 0) await change("DELETE", new Set(old));
  }

  async function change(how: "ADD" | "DELETE", marks: Set<string>): Promise<void> {
    await updateIf(table, {
      Key: key,
      UpdateExpression: `SET v = :v ${how} renewals :marks`,
      ConditionExpression: "attribute_not_exists(v) OR v = :v",
      ExpressionAttributeValues: { ":marks": marks, ":v": ITEM_VERSION },
    });
  }

  async function workAs<T>(held: Held, work: (turn: TokenTurn) => Promise<T>): Promise<T> {
    const recorded: string[] = [];
    const renewals = [...held.marks].map(timeOfRenewal).sort((a, b) => a - b);
    try {
      return await work({ renewals, record: (at) => void recorded.push(renewalMark(at, held.owner)) });
    } finally {
      // The outcome stands: a lock that is not given back runs out.
      await release(held, recorded).catch(() => undefined);
    }
  }

  return {
    async withTokenLock(work, look) {
      const owner = randomUUID();
      const until = now() + MOST_WAIT;
      for (let wait = FIRST_LOOK; ; wait = Math.min(2 * wait, MOST_BETWEEN_LOOKS)) {
        const taken = await acquireOrGiveUp(owner);
        const marks = renewalMarks(taken?.item ?? {});
        if (taken?.isMine === true) {
          const held = { owner, fence: Number(taken.item.lockFence), marks };
          return workAs(held, async (turn) => (await look()) ?? work(turn));
        }
        const found = await look();
        if (found !== undefined) return found;
        if (taken === undefined || now() >= until) return workAs({ owner, fence: undefined, marks }, work);
        await sleep(Math.min(wait, until - now()));
      }
    },
  };
}
