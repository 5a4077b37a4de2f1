import { randomUUID } from "node:crypto";
import { errorCode } from "../errors.ts";
import { sourceKey, TOKEN } from "./keys.ts";
import { takeLease } from "./leases.ts";
import { type Table, updateIf } from "./table-client.ts";

export interface SharedOptions {
  /** Epoch milliseconds. */
  now: () => number;
  sleep: (milliseconds: number) => Promise<void>;
}

/** Milliseconds after which a lock whose holder died is free: a token request is over by then, but for the slowest. */
const LOCK_DURATION = 30_000;
/** Milliseconds for which another's renewal is waited for: better a token too many than a tick without one. */
const MOST_WAIT = 20_000;
/** Milliseconds before the first look whether the other one is done, doubled for each further one: most are done in a moment. */
const FIRST_LOOK = 50;
const MOST_BETWEEN_LOOKS = 1_000;

/**
 * Does `ask` while no other worker does, once `look` has given nothing under the lock. Who has to wait looks again and again, and what `look`
 * gives is the outcome. After 20 seconds, or when the table does not answer, `ask` is done without the lock.
 */
export function createTokenLock(table: Table, source: string, { now, sleep }: SharedOptions) {
  const key = { pk: sourceKey(source), sk: TOKEN };

  /** The lease; undefined while another worker has it. Tokens are needed also while the table is not to be had. */
  const acquire = () =>
    takeLease(table, key, randomUUID(), now(), LOCK_DURATION).catch((error: unknown) => {
      if (errorCode(error) === "STATE_REFUSED") throw error;
      return "no table" as const;
    });

  const giveBack = ({ owner, fence }: { owner: string; fence: number }) =>
    updateIf(table, {
      Key: key,
      UpdateExpression: "REMOVE #owner, #until",
      ConditionExpression: "#owner = :owner AND fence = :fence",
      ExpressionAttributeNames: { "#owner": "owner", "#until": "until" },
      ExpressionAttributeValues: { ":owner": owner, ":fence": fence },
    });

  return async <T>({ look, ask }: { look: () => Promise<T | undefined>; ask: () => Promise<T> }): Promise<T> => {
    const until = now() + MOST_WAIT;
    for (let wait = FIRST_LOOK; ; wait = Math.min(2 * wait, MOST_BETWEEN_LOOKS)) {
      const lease = await acquire();
      if (typeof lease === "object") {
        try {
          return (await look()) ?? (await ask());
        } finally {
          // The outcome stands: a lock that is not given back runs out.
          await giveBack(lease.held).catch(() => undefined);
        }
      }
      const found = await look();
      if (found !== undefined) return found;
      if (lease === "no table" || now() >= until) return ask();
      await sleep(Math.min(wait, until - now()));
    }
  };
}
