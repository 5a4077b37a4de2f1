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
  done: Record<string, number>;
}

/** Milliseconds: longer than the function may take, and shorter than Lambda waits before it tries again. */
const HELD_FOR = 45_000;

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/**
 * Takes a customer for this event alone: an older event must not overtake a newer one on its way to the CRM.
 *
 * @throws Error while another event of the customer is worked off
 */
export async function take(key: string): Promise<Customer> {
  const now = Date.now();
  const held = new UpdateCommand({
    TableName: process.env.TABLE,
    Key: { key },
    UpdateExpression: "SET heldUntil = :until",
    ConditionExpression: "attribute_not_exists(heldUntil) OR heldUntil < :now",
    ExpressionAttributeValues: { ":until": now + HELD_FOR, ":now": now },
    ReturnValues: "ALL_NEW",
  });
  const { Attributes = {} } = await documents.send(held).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new Error("Another event of this customer is being worked off. The next attempt comes after it.");
  });
  const { heldUntil: _, ...customer } = Attributes;
  return { done: {}, ...customer, key };
}

export async function giveBack(customer: Customer): Promise<void> {
  await documents.send(new PutCommand({ TableName: process.env.TABLE, Item: customer }));
}
