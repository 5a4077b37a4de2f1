import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import type { Origin } from "../events/index.ts";
import type { QuarantinePage } from "../polling/ports.ts";
import type { EntryState, LedgerEntry } from "../polling/state-types.ts";
import { type CombinedWrites, createCombinedWrites } from "./combined-writes.ts";
import { checkVersion, ITEM_VERSION } from "./item-version.ts";
import { dueKey, idOf, responseKey, surveyKey } from "./keys.ts";
import { backOff, batchGet, batchPut, type Item, MOST_WRITES, type Table } from "./table-client.ts";

/** Of those that are not emitted, each of which is a request. */
const WRITES_AT_ONCE = 25;
/** What judging a response needs: never the kept records, which may be large. */
const SHORT = [
  "sk",
  "v",
  "state",
  "digest",
  "count",
  "eventId",
  "revision",
  "reason",
  "firstSeen",
  "attempts",
  "heldIn",
];

export async function readEntries(
  table: Table,
  source: string,
  surveyId: number,
  ids: LedgerEntry["id"][],
): Promise<Map<LedgerEntry["id"], LedgerEntry>> {
  const pk = surveyKey(source, surveyId);
  const items = await batchGet(
    table,
    // A request that names a key twice is refused as a whole.
    [...new Set(ids)].map((id) => ({ pk, sk: responseKey(id) })),
    SHORT,
  );
  return new Map(items.map(toEntry).map((entry) => [entry.id, entry]));
}

/**
 * Milliseconds after which the lease under which an entry was to be written may be someone else's: a request to the bus is begun with half
 * of it left and takes five seconds at most.
 */
const LATE = 2_000;

/** An item, and when it was to be written (epoch milliseconds). */
export interface DueWrite {
  item: Item;
  since: number;
}

/** What is written to the ledger by all surveys of a source: an entry of one goes with those of another. */
export function createEntryWrites(table: Table): CombinedWrites<DueWrite> {
  const keyOf = ({ pk, sk }: Item): string => `${pk} ${sk}`;
  return createCombinedWrites<DueWrite>({
    keyOf: ({ item }) => keyOf(item),
    most: MOST_WRITES,
    async write(writes) {
      const isLate = ({ since }: DueWrite): boolean => Math.abs(Date.now() - since) > LATE;
      const late = writes.filter(isLate);
      const inTime = writes.filter((write) => !late.includes(write));
      await settled(late.map(({ item }) => putUnlessLater(table, item)));
      return inTime.length === 0
        ? []
        : (
            await batchPut(
              table,
              inTime.map(({ item }) => item),
            )
          ).map(keyOf);
    },
    backOff,
  });
}

/** Rejects with the first failure, but not before all are over: whoever is told of it may give its lease back. */
async function settled(all: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(all)) if (outcome.status === "rejected") throw outcome.reason;
}

export async function writeEntries(
  table: Table,
  combined: CombinedWrites<DueWrite>,
  source: string,
  surveyId: number,
  entries: LedgerEntry[],
): Promise<void> {
  const pk = surveyKey(source, surveyId);
  const dueOf = ({ state }: LedgerEntry): string =>
    dueKey(source, surveyId, state === "open" || state === "quarantined" ? state : "waiting");
  // One that was published twice before it could be entered is entered once.
  const emitted = new Map(entries.filter((entry) => entry.state === "emitted").map((entry) => [entry.id, entry]));
  const others = entries.filter((entry) => entry.state !== "emitted");
  const limit = pLimit(WRITES_AT_ONCE);
  const since = Date.now();
  const all = [...emitted.values()];
  // Few, and nobody has just published them.
  const repaired = all.filter(isOfRepair).map((entry) => limit(putUnlessLater, table, toItem(pk, entry, dueOf(entry))));
  const plain = all.filter((entry) => !isOfRepair(entry));
  await settled([combined(plain.map((entry) => ({ item: toItem(pk, entry, dueOf(entry)), since }))), ...repaired]);
  await settled(others.map((entry) => limit(putUnlessEmitted, table, toItem(pk, entry, dueOf(entry)))));
}

/** Whether an entry belongs to the repair of an event, or to an attempt at one. */
function isOfRepair({ revision = 1, attempts, reason }: LedgerEntry): boolean {
  return revision > 1 || attempts !== undefined || reason !== undefined;
}

/** A worker that stood still beyond its lease must not put back the revision that its successor has published: its id would go out again. */
async function putUnlessLater(table: Table, item: Item): Promise<void> {
  await putIf(table, item, "attribute_not_exists(#state) OR #state <> :emitted OR NOT #revision > :revision", {
    ":emitted": "emitted",
    ":revision": item.revision ?? 1,
  });
}

/**
 * A worker that was frozen beyond its lease must not put back what its successor has emitted meanwhile, nor take from it what it keeps of a
 * completed response: only one that keeps nothing any more is open again.
 */
async function putUnlessEmitted(table: Table, item: Item): Promise<void> {
  const isEarlier = item.state === "open" && item.reason !== "kept-records-gone";
  const condition = `attribute_not_exists(#state) OR (#state <> :emitted${isEarlier ? " AND #state <> :waiting" : ""})`;
  await putIf(table, item, condition, { ":emitted": "emitted", ...(isEarlier ? { ":waiting": "waiting" } : {}) });
}

async function putIf(table: Table, item: Item, condition: string, values: Item): Promise<void> {
  try {
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: item,
        ConditionExpression: condition,
        ExpressionAttributeNames: { "#state": "state", ...(":revision" in values ? { "#revision": "revision" } : {}) },
        ExpressionAttributeValues: values,
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** Entries under `due` (see `dueKey`) whose next check is not after `until`, from the sparse index. */
export async function dueEntries(table: Table, due: string, until: number, limit: number): Promise<LedgerEntry[]> {
  const answer = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: "due",
      KeyConditionExpression: "#due = :due AND dueAt <= :until",
      ExpressionAttributeNames: { "#due": "due" },
      ExpressionAttributeValues: { ":due": due, ":until": until },
      Limit: limit,
    }),
  );
  // An index may show an item at its old place and at its new one.
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  for (const entry of (answer.Items ?? []).map(toEntry)) if (!entries.has(entry.id)) entries.set(entry.id, entry);
  return [...entries.values()];
}

/**
 * Quarantined entries of a survey, a megabyte of its items at a time: also those that the index does not hold, as their records
 * have gone.
 */
export async function quarantinedEntries(table: Table, pk: string, from: string | undefined): Promise<QuarantinePage> {
  const answer = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      // RESPONSE# and RECORD#, and nothing else.
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :re)",
      FilterExpression: "#state = :quarantined",
      ExpressionAttributeNames: { "#state": "state" },
      ExpressionAttributeValues: { ":pk": pk, ":re": "RE", ":quarantined": "quarantined" },
      ConsistentRead: true,
      ...(from === undefined ? {} : { ExclusiveStartKey: { pk, sk: from } }),
    }),
  );
  const next = answer.LastEvaluatedKey?.sk;
  return { entries: (answer.Items ?? []).map(toEntry), ...(typeof next === "string" ? { next } : {}) };
}

function toItem(pk: string, entry: LedgerEntry, due: string): Item {
  const { id, nextCheck, kept, ...fields } = entry;
  return {
    pk,
    sk: responseKey(id),
    v: ITEM_VERSION,
    ...fields,
    // As text: numbers and depths of foreign JSON are none of the table's business.
    ...(kept === undefined ? {} : { kept: JSON.stringify(kept) }),
    ...(nextCheck === undefined ? {} : { due, dueAt: nextCheck }),
  };
}

function toEntry(raw: Item): LedgerEntry {
  const { pk, sk, v, due, dueAt, kept, ...fields } = checkVersion(raw);
  return {
    ...(fields as { state: EntryState; origin?: Origin }),
    id: idOf(String(sk)),
    ...(typeof kept === "string" ? { kept: JSON.parse(kept) as unknown } : {}),
    ...(typeof dueAt === "number" ? { nextCheck: dueAt } : {}),
  };
}
