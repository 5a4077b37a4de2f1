import { setTimeout as sleep } from "node:timers/promises";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { PollerError } from "../errors.ts";
import { checkVersion, ITEM_VERSION, otherVersion } from "./item-version.ts";

export type Item = Record<string, unknown>;

/** Where the state lies. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
}

/** The table left part of a batch undone however often it was asked. */
export class TableBusyError extends PollerError {
  readonly code = "TABLE_BUSY";
}

const MOST_ATTEMPTS = 8;
/** In one request. */
export const MOST_WRITES = 25;

/** One item, strongly consistent; empty where there is none. */
export async function readItem(table: Table, key: Item): Promise<Item> {
  const read = new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true });
  return checkVersion((await table.client.send(read)).Item ?? {});
}

/**
 * Changes one item, and gives the attributes that the input asks for. Undefined where its condition failed. The SDK's own retry of a write
 * that did apply fails so too: the item says whose write it holds.
 */
export async function updateIf(table: Table, input: Omit<UpdateCommandInput, "TableName">): Promise<Item | undefined> {
  try {
    return (await table.client.send(new UpdateCommand({ TableName: table.name, ...input }))).Attributes ?? {};
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Sets attributes of one item of any kind, but not over another version; those of `once` only where there are none. */
export async function setAttributes(
  table: Table,
  key: Item,
  attributes: [string, unknown][],
  once: readonly string[] = [],
): Promise<void> {
  const all: [string, unknown][] = [["v", ITEM_VERSION], ...attributes.filter(([, value]) => value !== undefined)];
  const shown = (name: string, i: number): string => (once.includes(name) ? `if_not_exists(#a${i}, :a${i})` : `:a${i}`);
  const updated = await updateIf(table, {
    Key: key,
    // What another version has written is left alone.
    ConditionExpression: "attribute_not_exists(#a0) OR #a0 = :a0",
    UpdateExpression: `SET ${all.map(([name], i) => `#a${i} = ${shown(name, i)}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(all.map(([name], i) => [`#a${i}`, name])),
    ExpressionAttributeValues: Object.fromEntries(all.map(([, value], i) => [`:a${i}`, value])),
  });
  if (updated === undefined) throw otherVersion();
}

/** Each answer to a query, strongly consistent, up to its end. */
export async function* queryAll(table: Table, query: Omit<QueryCommandInput, "TableName">) {
  let from: Item | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({ TableName: table.name, ConsistentRead: true, ExclusiveStartKey: from, ...query }),
    );
    yield answer;
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
}

/** Strongly consistent; at most 100 keys. Attributes named in `projection` only. */
export async function batchGet(table: Table, keys: Item[], projection: string[]): Promise<Item[]> {
  const names = Object.fromEntries(projection.map((name, i) => [`#a${i}`, name]));
  const shown = { ProjectionExpression: Object.keys(names).join(", "), ExpressionAttributeNames: names };
  const items: Item[] = [];
  let left = keys;
  for (let attempt = 1; left.length > 0; attempt += 1) {
    const read = { ...shown, Keys: left, ConsistentRead: true };
    const answer = await table.client.send(new BatchGetCommand({ RequestItems: { [table.name]: read } }));
    items.push(...((answer.Responses?.[table.name] ?? []) as Item[]));
    left = (answer.UnprocessedKeys?.[table.name]?.Keys ?? []) as Item[];
    if (left.length > 0) await backOff(attempt);
  }
  return items;
}

/** One request for at most `MOST_WRITES` items, of which no two have the same key; gives those that it left undone. */
export async function batchPut(table: Table, items: Item[]): Promise<Item[]> {
  const puts = items.map((item) => ({ PutRequest: { Item: item } }));
  const answer = await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: puts } }));
  return (answer.UnprocessedItems?.[table.name] ?? []).flatMap(({ PutRequest }) => PutRequest?.Item ?? []);
}

/** Waits before what was left undone is asked for again for the given time. Throws `TableBusyError` when that was often enough. */
export async function backOff(attempt: number): Promise<void> {
  if (attempt >= MOST_ATTEMPTS) {
    throw new TableBusyError("the table left part of a batch undone", {
      retryable: true,
      hint: "The table is throttled: look at its consumed capacity and at the account's limits.",
    });
  }
  await sleep(Math.min(2_000, 25 * 2 ** attempt) * (0.5 + Math.random() / 2));
}
