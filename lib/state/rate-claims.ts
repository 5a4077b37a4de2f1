import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { ITEM_VERSION } from "./item-version.ts";
import { SHARED, sourceKey } from "./keys.ts";
import type { Item, Table } from "./table-client.ts";

/** The share of the service's rate that one worker takes while it works. */
export interface RateClaim {
  /** Requests a second. */
  rate: number;
  /** Requests at once after a rest. */
  burst: number;
  /** The weight of the worker when the rate is divided anew: news weigh more than a backlog. */
  weight: number;
  /** Epoch milliseconds: a worker that was killed gives nothing back. */
  until: number;
}

/** The claims of the workers of one source, in the item that they share. */
export interface RateClaims {
  /** Puts or renews the claim of a worker, and gives those of the others that have not run out at `now`. One write. */
  put(worker: string, claim: RateClaim, now: number): Promise<Map<string, RateClaim>>;
  remove(worker: string): Promise<void>;
}

const PREFIX = "claim/";

export function createRateClaims(table: Table, source: string): RateClaims {
  const key = { pk: sourceKey(source), sk: SHARED };
  /** Claims that have run out, seen at the last write: removed with the next one. */
  let over: string[] = [];

  return {
    async put(worker, claim, now) {
      const own = PREFIX + worker;
      const stale = over.filter((name) => name !== own);
      const names = Object.fromEntries([["#own", own], ...stale.map((name, i) => [`#over${i}`, name])]);
      const remove = stale.length === 0 ? "" : ` REMOVE ${stale.map((_, i) => `#over${i}`).join(", ")}`;
      const { Attributes: item = {} } = await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: key,
          UpdateExpression: `SET #own = :claim, v = :v${remove}`,
          ConditionExpression: "attribute_not_exists(v) OR v = :v",
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: { ":claim": claim, ":v": ITEM_VERSION },
          ReturnValues: "ALL_NEW",
        }),
      );
      const others = claimsOf(item);
      others.delete(worker);
      over = [...others].filter(([, { until }]) => until < now).map(([name]) => PREFIX + name);
      for (const [name, { until }] of others) if (until < now) others.delete(name);
      return others;
    },
    async remove(worker) {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: key,
          UpdateExpression: "REMOVE #own",
          ExpressionAttributeNames: { "#own": PREFIX + worker },
        }),
      );
    },
  };
}

function claimsOf(item: Item): Map<string, RateClaim> {
  const claims = new Map<string, RateClaim>();
  for (const [name, value] of Object.entries(item)) {
    if (!name.startsWith(PREFIX)) continue;
    const { rate, burst, weight, until } = (value ?? {}) as Partial<RateClaim>;
    const isClaim = [rate, burst, weight, until].every((part) => typeof part === "number" && part >= 0);
    if (isClaim) claims.set(name.slice(PREFIX.length), value as RateClaim);
  }
  return claims;
}
