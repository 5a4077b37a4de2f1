import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { setAttributes } from "./attributes.ts";
import { checkVersion, ITEM_VERSION } from "./item-version.ts";
import { SHARED, sourceKey } from "./keys.ts";
import { isPause, latestPause, readShared, type SharedState } from "./shared-state.ts";
import type { Table } from "./table-client.ts";
import { createTokenLock, type TokenLock } from "./token-lock.ts";

/** The item by which the workers of a source tell each other what they have met. */
export interface Shared extends TokenLock {
  read(): Promise<SharedState>;
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

  async function read(): Promise<SharedState> {
    const answer = await table.client.send(new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }));
    return readShared(checkVersion(answer.Item ?? {}), now());
  }

  return {
    ...createTokenLock(table, key, { now, sleep }),
    read,
    async pause(until) {
      if (!isPause(until, now())) return;
      try {
        await table.client.send(
          new UpdateCommand({
            TableName: table.name,
            Key: key,
            UpdateExpression: "SET pausedUntil = :until, v = :v",
            // What a clock that is far off has written can be shortened: it would keep everybody silent for good.
            ConditionExpression:
              "(attribute_not_exists(pausedUntil) OR pausedUntil < :until OR pausedUntil > :most) AND (attribute_not_exists(v) OR v = :v)",
            ExpressionAttributeValues: { ":until": until, ":most": latestPause(now()), ":v": ITEM_VERSION },
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // A longer one is there, or this one by the SDK's own retry: either will do. A newer version will not.
        await read();
      }
    },
    saveLearned: (learned) => setAttributes(table, key, [["learned", learned]]),
  };
}
