import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Origin } from "../events/index.ts";
import {
  type EmittedResponse,
  type EntryState,
  emittedOf,
  JUDGED_BY,
  type LedgerEntry,
  type LedgerPage,
  type PersonKey,
} from "../polling/index.ts";
import { checkVersion, ITEM_VERSION } from "./item-version.ts";
import { idOf, responseKey, surveyKey } from "./keys.ts";
import { batchGet, type Item, readItem, type Table } from "./table-client.ts";

const SHORT = ["sk", "v", "dueAt", ...JUDGED_BY];

export async function readEntries(
  table: Table,
  source: string,
  surveyId: number,
  ids: LedgerEntry["id"][],
): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const pk = surveyKey(source, surveyId);
  // A request that names a key twice is refused as a whole.
  const keys = [...new Set(ids)].map((id) => ({ pk, sk: responseKey(id) }));
  const items = await batchGet(table, keys, SHORT);
  return new Map(items.map(toEntry).map((entry) => [entry.id, entry]));
}

/** One entry with all that the table has of it, also what is kept. */
export async function readEntry(
  table: Table,
  source: string,
  surveyId: number,
  id: LedgerEntry["id"],
): Promise<LedgerEntry | undefined> {
  const item = await readItem(table, { pk: surveyKey(source, surveyId), sk: responseKey(id) });
  return item.sk === undefined ? undefined : toEntry(item);
}

/** Entries under `due` (see `dueKey`) whose next check is not after `until`, from the sparse index. */
export async function dueEntries(table: Table, due: string, until: number, limit: number): Promise<LedgerEntry[]> {
  const answer = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: "due",
      KeyConditionExpression: "due = :due AND dueAt <= :until",
      ExpressionAttributeValues: { ":due": due, ":until": until },
      Limit: limit,
    }),
  );
  // An index may show an item at its old place and at its new one.
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  for (const entry of (answer.Items ?? []).map(toEntry)) if (!entries.has(entry.id)) entries.set(entry.id, entry);
  return [...entries.values()];
}

/** Entries of a survey that are for a redrive (`isForRedrive`), and those whose records have gone; a megabyte of items at a time. */
export function redriveEntries(table: Table, pk: string, from: string | undefined): Promise<LedgerPage<LedgerEntry>> {
  return queryLedger(table, pk, from, toEntry, {
    FilterExpression: "#state IN (:quarantined, :refused) OR attribute_exists(refusedRevision)",
    ExpressionAttributeValues: { ":quarantined": "quarantined", ":refused": "refused" },
  });
}

/** Entries that may be of a person: with this hash of a key, with kept records, or gone out without a hash; a megabyte of items at a time. */
export function personEntries(kind: PersonKey, hash = "") {
  return (table: Table, pk: string, from: string | undefined): Promise<LedgerPage<LedgerEntry>> =>
    queryLedger(table, pk, from, toEntry, {
      FilterExpression: `contains(person.${kind}, :hash) OR attribute_exists(kept) OR attribute_exists(keptKey) OR (#state = :emitted AND attribute_not_exists(person.${kind}))`,
      ExpressionAttributeValues: { ":hash": hash, ":emitted": "emitted" },
    });
}

/** The emitted responses of a survey, a megabyte of its items at a time. */
export function emittedResponses(
  table: Table,
  pk: string,
  from: string | undefined,
): Promise<LedgerPage<EmittedResponse>> {
  return queryLedger(table, pk, from, (item) => emittedOf(toEntry(item)), {
    FilterExpression: "#state = :emitted",
    ProjectionExpression: "sk, eventId, emittedAt, gone, v",
    ExpressionAttributeValues: { ":emitted": "emitted" },
  });
}

/** A page of the entries that a filter by `#state` lets through, and where the next one begins. */
async function queryLedger<T>(
  table: Table,
  pk: string,
  from: string | undefined,
  read: (item: Item) => T,
  query: Pick<QueryCommandInput, "FilterExpression" | "ProjectionExpression" | "ExpressionAttributeValues">,
): Promise<LedgerPage<T>> {
  const answer = await table.client.send(
    new QueryCommand({
      ...query,
      TableName: table.name,
      // RESPONSE# and RECORD#, and nothing else.
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :re)",
      ExpressionAttributeNames: { "#state": "state" },
      ExpressionAttributeValues: { ...query.ExpressionAttributeValues, ":pk": pk, ":re": "RE" },
      ConsistentRead: true,
      ExclusiveStartKey: from === undefined ? undefined : { pk, sk: from },
    }),
  );
  return { entries: (answer.Items ?? []).map(read), next: answer.LastEvaluatedKey?.sk };
}

/** Where an unsettled entry without a next check stands in the index: there all of a state can be counted. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** An entry as it is in the table, found under `due` (see `dueKey`) unless it is settled. */
export function toItem(pk: string, entry: LedgerEntry, due: string): Item {
  const { id, nextCheck, kept, ...fields } = entry;
  const isSettled = entry.state === "emitted" || entry.state === "before-start";
  return {
    pk,
    sk: responseKey(id),
    v: ITEM_VERSION,
    ...fields,
    // As text: numbers and depths of foreign JSON are none of the table's business.
    kept: JSON.stringify(kept),
    ...(nextCheck === undefined && isSettled ? {} : { due, dueAt: nextCheck ?? NEVER }),
  };
}

function toEntry(raw: Item): LedgerEntry {
  const { pk, sk, v, due, dueAt, kept, ...fields } = checkVersion(raw);
  return {
    ...(fields as { state: EntryState; origin?: Origin }),
    id: idOf(String(sk)),
    ...(typeof kept === "string" ? { kept: JSON.parse(kept) as unknown } : {}),
    ...(typeof dueAt === "number" && dueAt < NEVER ? { nextCheck: dueAt } : {}),
  };
}
