import type { EventBridgeEvent } from "aws-lambda";
import { type ResponseCompleted, responseCompleted } from "survey-poller/events";
import { putTicket } from "./crm.ts";
import { type Customer, giveBack, take } from "./customers.ts";
import { type Ticket, ticketOf } from "./ticket.ts";

/** Makes a ticket of a detractor, or edits the one that the customer has. An error makes Lambda try again. */
export async function handler({
  detail,
}: EventBridgeEvent<"response.completed" | "response.updated", ResponseCompleted>): Promise<void> {
  const event = responseCompleted.parse(detail);
  const ticket = ticketOf(event, {
    withComment: process.env.WITH_COMMENT === "true",
    referrerIsCustomer: process.env.REFERRER_IS_CUSTOMER === "true",
  });
  let customer = await take(ticket.key);
  try {
    customer = await workOff(event, ticket, customer);
  } finally {
    await giveBack(customer);
  }
}

/** Gives the customer as the event leaves it. */
async function workOff({ meta, data }: ResponseCompleted, ticket: Ticket, customer: Customer): Promise<Customer> {
  const { shown, done } = customer;
  const response = `${meta.sourceName} ${data.surveyId} ${data.responseId}`;
  if ((done[response]?.revision ?? 0) >= meta.revision) return customer;
  const completed = data.response.completed.local ?? "";
  const after = { ...customer, done: { ...done, [response]: { revision: meta.revision, completed } } };
  const isEdit = shown?.response === response;
  // A ticket shows the newest response of its customer.
  const isNew = ticket.isDetractor && (shown === undefined || shown.completed <= completed);
  if (!isEdit && !isNew) return after;
  const ticketId = (await putTicket(ticket, customer.ticketId, !isEdit)) ?? customer.ticketId;
  return { ...after, shown: { response, completed }, ...(ticketId !== undefined && { ticketId }) };
}
