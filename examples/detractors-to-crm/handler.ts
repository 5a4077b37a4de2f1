import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { EventBridgeEvent } from "aws-lambda";
import { type ResponseCompleted, responseCompleted } from "survey-poller/events";
import { putTicket } from "./crm.ts";
import { ticketOf } from "./ticket.ts";

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** A response of which an event was worked off. */
interface Done {
  /** The highest. */
  revision: number;
}

/** The ticket of a customer. */
interface Shown {
  /** The response that it shows, and when that was completed. */
  response: string;
  completed: string;
  /** The CRM's own, where it is needed. */
  ticketId?: string;
}

/**
 * Makes a ticket of a detractor, or edits the one that the customer has. An error makes Lambda try again. One invocation runs at a time, or an older
 * event could overtake a newer one on its way to the CRM.
 */
export async function handler({
  detail,
}: EventBridgeEvent<"response.completed" | "response.updated", ResponseCompleted>): Promise<void> {
  const event = responseCompleted.parse(detail);
  const { meta, data } = event;
  const response = `${meta.test === true ? "[test] " : ""}${meta.sourceName} ${data.surveyId} ${data.responseId}`;
  const done = await find<Done>("response", response);
  if (done !== undefined && done.revision >= meta.revision) return;

  const ticket = ticketOf(event, process.env.WITH_COMMENT === "true");
  const shown = await find<Shown>("customer", ticket.key);
  const completed = data.response.completed.local ?? "";
  const isEdit = shown?.response === response;
  // A ticket shows the newest response of its customer.
  const isNew = ticket.isDetractor && (shown === undefined || shown.completed <= completed);
  if (isEdit || isNew) {
    const ticketId = (await putTicket(ticket, shown?.ticketId)) ?? shown?.ticketId;
    await keep<Shown>("customer", ticket.key, { response, completed, ...(ticketId !== undefined && { ticketId }) });
  }
  await keep<Done>("response", response, { revision: meta.revision });
}

type Kind = "response" | "customer";

async function find<T>(kind: Kind, name: string): Promise<T | undefined> {
  const get = { TableName: process.env.TABLE, Key: { id: `${kind} ${name}` }, ConsistentRead: true };
  return (await documents.send(new GetCommand(get))).Item as T | undefined;
}

async function keep<T>(kind: Kind, name: string, item: T): Promise<void> {
  await documents.send(new PutCommand({ TableName: process.env.TABLE, Item: { id: `${kind} ${name}`, ...item } }));
}
