import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountChanges, type AccountState, STORED_ONCE, type SurveyRow } from "../polling/state-types.ts";
import { checkVersion, ITEM_VERSION, newerVersion } from "./item-version.ts";
import { ACCOUNT, COUNTS_PREFIX, countsKey, SHARED, sourceKey } from "./keys.ts";
import { readShared } from "./shared-state.ts";
import type { Item, Table } from "./table-client.ts";

/** Rows changed by one update: an expression holds at most 4 KB. */
const ROWS_AT_ONCE = 50;

/** The account item, all counts and what the workers share, in one query. */
export async function readAccount(table: Table, source: string, now = Date.now): Promise<AccountState> {
  const account: AccountState = { rows: new Map() };
  let from: Item | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": sourceKey(source) },
        ConsistentRead: true,
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    for (const raw of answer.Items ?? []) {
      const { pk, sk, v, ...fields } = checkVersion(raw);
      if (sk === ACCOUNT) Object.assign(account, fields);
      else if (sk === SHARED) takeShared(fields, account, now());
      else if (String(sk).startsWith(COUNTS_PREFIX)) readRows(fields, account.rows);
    }
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
  return account;
}

function takeShared(item: Item, account: AccountState, now: number): void {
  const { pausedUntil, learned } = readShared(item, now);
  if (pausedUntil !== undefined) account.pausedUntil = pausedUntil;
  if (learned !== undefined) account.learned = learned;
}

export async function writeAccount(table: Table, source: string, changes: AccountChanges): Promise<void> {
  await setAttributes(table, { pk: sourceKey(source), sk: ACCOUNT }, Object.entries(changes), STORED_ONCE);
}

export async function writeRows(table: Table, source: string, rows: Map<number, SurveyRow>): Promise<void> {
  const items = new Map<string, [string, unknown][]>();
  for (const [surveyId, row] of rows) {
    const sk = countsKey(surveyId);
    const attributes = items.get(sk) ?? [];
    // A list, not a map: names would be most of the item.
    attributes.push([`s${surveyId}`, rowToList(row)]);
    items.set(sk, attributes);
  }
  for (const [sk, attributes] of items) {
    for (let i = 0; i < attributes.length; i += ROWS_AT_ONCE) {
      await setAttributes(table, { pk: sourceKey(source), sk }, attributes.slice(i, i + ROWS_AT_ONCE));
    }
  }
}

/** Sets attributes of one item of any kind, but not over a newer version; those of `once` only where there are none. */
export async function setAttributes(
  table: Table,
  key: Item,
  attributes: [string, unknown][],
  once: readonly string[] = [],
): Promise<void> {
  const all: [string, unknown][] = [["v", ITEM_VERSION], ...attributes.filter(([, value]) => value !== undefined)];
  try {
    await update(table, key, all, once);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw newerVersion();
    throw error;
  }
}

async function update(table: Table, key: Item, all: [string, unknown][], once: readonly string[]): Promise<void> {
  const shown = (name: string, i: number): string => (once.includes(name) ? `if_not_exists(#a${i}, :a${i})` : `:a${i}`);
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: key,
      // Attribute 0 is the version: what a newer one has written is not set back.
      ConditionExpression: "attribute_not_exists(#a0) OR #a0 <= :a0",
      UpdateExpression: `SET ${all.map(([name], i) => `#a${i} = ${shown(name, i)}`).join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries(all.map(([name], i) => [`#a${i}`, name])),
      ExpressionAttributeValues: Object.fromEntries(all.map(([, value], i) => [`:a${i}`, value])),
    }),
  );
}

function readRows(fields: Item, rows: Map<number, SurveyRow>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith("s") || !Array.isArray(value)) continue;
    rows.set(Number(name.slice(1)), rowFromList(value as (number | null)[]));
  }
}

/** Times as whole milliseconds, flags as 0 and 1; new fields come at the end, so that older rows stay readable. */
function rowToList({
  counts,
  polledAt,
  dueAt,
  chase,
  trust,
  backgroundAt,
  workedAt,
  activeAt,
  booksAt,
}: SurveyRow): (number | null)[] {
  const chased = [chase.missing, chase.owed, Number(chase.seeking), chase.restUntil];
  const trusted = [trust.misses, trust.hits, trust.unseen];
  const times = [backgroundAt ?? null, workedAt, activeAt];
  return [...counts, polledAt, dueAt ?? null, ...chased, ...times, ...trusted, Number(chase.deep), booksAt ?? null];
}

function rowFromList(list: (number | null)[]): SurveyRow {
  const [responses = null, correct = null, unpaid = null, polledAt, dueAt, ...rest] = list;
  const [missing, owed, seeking, restUntil, backgroundAt, workedAt, activeAt, misses, hits, unseen, deep, booksAt] =
    rest;
  return {
    counts: [responses, correct, unpaid],
    polledAt: polledAt ?? 0,
    ...(dueAt === null || dueAt === undefined ? {} : { dueAt }),
    chase: {
      missing: missing ?? 0,
      owed: owed ?? 0,
      seeking: (seeking ?? 0) > 0,
      restUntil: restUntil ?? 0,
      deep: deep === 1,
    },
    trust: { misses: misses ?? 0, hits: hits ?? 0, unseen: unseen ?? 0 },
    ...(backgroundAt === null || backgroundAt === undefined ? {} : { backgroundAt }),
    ...(booksAt === null || booksAt === undefined ? {} : { booksAt }),
    workedAt: workedAt ?? polledAt ?? 0,
    activeAt: activeAt ?? polledAt ?? 0,
  };
}
