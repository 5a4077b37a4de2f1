import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { type CheckedState, type EntryState, FORGOTTEN, type LedgerEntry, WITHOUT_RECORDS } from "../polling/index.ts";
import { dueKey, surveyKey } from "./keys.ts";
import { toItem } from "./ledger.ts";
import { backOff, batchPut, type Item, MOST_WRITES, type Table } from "./table-client.ts";

// What is entered into the ledger: in batches, but for what may only take the place of certain others, each of which is a request.

const WRITES_AT_ONCE = 25;

/** Milliseconds after which the lease may be someone else's: a request to the bus begins with half of it left, and takes five seconds at most. */
const LATE = 2_000;

export async function writeEntries(
  table: Table,
  source: string,
  surveyId: number,
  entries: LedgerEntry[],
): Promise<void> {
  const pk = surveyKey(source, surveyId);
  const since = Date.now();
  const limit = pLimit(WRITES_AT_ONCE);
  const itemOf = (entry: LedgerEntry): Item => toItem(pk, entry, dueKey(source, surveyId, kindOf(entry)));
  const puts = (some: LedgerEntry[]) => some.map((entry) => limit(putUnlessOutdated, table, itemOf(entry)));
  const { emitted: all = [], others = [] } = Object.groupBy(entries, ({ state }) =>
    state === "emitted" ? "emitted" : "others",
  );
  // One that was published twice before it could be entered is entered once.
  const emitted = [...new Map(all.map((entry) => [entry.id, entry])).values()];
  const published = emitted.filter((entry) => !isOfRepair(entry)).map(itemOf);
  await allOver([putPublished(table, published, since), ...puts(emitted.filter(isOfRepair))]);
  await allOver(puts(others));
}

/** In batches, as long as the lease under which that was begun is surely held. */
async function putPublished(table: Table, items: Item[], since: number): Promise<void> {
  for (let i = 0; i < items.length; i += MOST_WRITES) {
    let left = items.slice(i, i + MOST_WRITES);
    for (let attempt = 1; left.length > 0; attempt += 1) {
      if (Date.now() - since > LATE) {
        await allOver(left.map((item) => putUnlessOutdated(table, item)));
        break;
      }
      left = await batchPut(table, left);
      if (left.length > 0) await backOff(attempt);
    }
  }
}

/** Under which kind an entry is found once it is due. */
function kindOf({ state }: LedgerEntry): CheckedState {
  return state === "emitted" || state === "before-start" ? "waiting" : state;
}

/** Whether an entry belongs to the repair of an event, to an attempt at one, or to a response that is gone: these are few. */
function isOfRepair({ revision = 1, attempts, next, refusedRevision, gone }: LedgerEntry): boolean {
  return [attempts, next, refusedRevision, gone].some((one) => one !== undefined) || revision > 1;
}

/** Rejects with the first failure, but not before all are over: whoever is told of it may give its lease back. */
async function allOver(all: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(all)) if (outcome.status === "rejected") throw outcome.reason;
}

/** A worker that stood still beyond its lease must not put back what its successor has written since. */
async function putUnlessOutdated(table: Table, item: Item): Promise<void> {
  const { condition, values } = notOutdated(item);
  // What was forgotten stays so, whoever stood still meanwhile.
  const isForgotten = item.reason === FORGOTTEN;
  const allowed = isForgotten ? condition : `(${condition}) AND NOT reason = :forgotten`;
  try {
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: item,
        ConditionExpression: `attribute_not_exists(#state) OR (${allowed})`,
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: { ...values, ...(isForgotten ? {} : { ":forgotten": FORGOTTEN }) },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** The condition under which an item may replace another one. */
function notOutdated({ state, reason, revision = 1 }: Item): { condition: string; values: Record<string, unknown> } {
  // The id of a later revision would go out again, with other contents.
  if (state === "emitted") {
    const condition = "#state <> :emitted OR NOT revision > :revision";
    return { condition, values: { ":emitted": state, ":revision": revision } };
  }
  const values = Object.fromEntries(standing(state as EntryState, reason).map((one) => [`:${one}`, one]));
  return { condition: `NOT #state IN (${Object.keys(values).join(", ")})`, values };
}

/** The states that an entry in this one, which is not `emitted`, never replaces. */
function standing(state: EntryState, reason: unknown): EntryState[] {
  // The records that are kept of a waiting one are proved.
  if (state === "held") return ["emitted", "waiting", "refused"];
  if (state !== "open") return ["emitted"];
  // What is known to be completed is not open again, save a waiting or refused one whose records are gone.
  return reason === WITHOUT_RECORDS ? ["emitted", "held"] : ["emitted", "waiting", "held", "refused"];
}
