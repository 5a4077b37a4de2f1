import { setTimeout as sleep } from "node:timers/promises";
import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";

/** What was done for a customer. It has no answers, and stays. */
export interface Customer {
  key: string;
  /** The response that the ticket shows, and when that was completed; absent where there is no ticket. */
  shown?: { response: string; completed: string };
  /** The CRM's own id of the ticket, where it is needed. */
  ticketId?: string;
  /** By response, the highest revision that was worked off. */
  done: Record<string, { revision: number; completed: string }>;
}

/** Responses in `done`, beside the one that the ticket shows. An event of an older one changes no ticket. */
const MOST_DONE = 100;
/** Milliseconds that an event waits while another one of its customer is worked off. */
const WAITS = 30_000;
/** Milliseconds: longer than the function may take. The next attempt of one that was cut off comes after a minute, and waits too. */
const HELD_FOR = 75_000;

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/**
 * Takes a customer for this event alone: an older event must not overtake a newer one on its way to the CRM.
 *
 * @throws Error where other events of the customer are worked off all the time
 */
export async function take(key: string): Promise<Customer> {
  const last = Date.now() + WAITS;
  for (;;) {
    const customer = await taken(key);
    if (customer !== undefined) return customer;
    if (Date.now() > last)
      throw new Error("Other events of this customer are being worked off. The next attempt comes after them.");
    await sleep(100 + Math.random() * 400);
  }
}

/** Undefined while another event has the customer. */
async function taken(key: string): Promise<Customer | undefined> {
  const now = Date.now();
  const held = new UpdateCommand({
    TableName: process.env.TABLE,
    Key: { key },
    UpdateExpression: "SET heldUntil = :until",
    ConditionExpression: "attribute_not_exists(heldUntil) OR heldUntil < :now",
    ExpressionAttributeValues: { ":until": now + HELD_FOR, ":now": now },
    ReturnValues: "ALL_NEW",
  });
  try {
    const { Attributes: { heldUntil: _, ...customer } = {} } = await documents.send(held);
    return { done: {}, ...customer, key };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

export async function giveBack(customer: Customer): Promise<void> {
  const { shown, done } = customer;
  const latest = Object.entries(done)
    .sort(([, one], [, other]) => other.completed.localeCompare(one.completed))
    .filter(([response], place) => place < MOST_DONE || response === shown?.response);
  const Item = { ...customer, done: Object.fromEntries(latest) };
  await documents.send(new PutCommand({ TableName: process.env.TABLE, Item }));
}
