import type { Ticket } from "./ticket.ts";

export interface CrmRequest {
  method: "POST" | "PUT" | "PATCH";
  path: string;
  headers?: Record<string, string>;
  body: object;
}

/** What was there before the request. */
interface Before {
  /** What `idIn` has read from an earlier answer. */
  id?: string | undefined;
  /** The id that the CRM takes no more: another ticket stands in its place. */
  lost?: string;
  /** Whether the response is another one, so that a solved ticket is opened again. */
  reopens: boolean;
}

/** How a CRM takes a ticket. */
export interface Template {
  /** The request that makes the ticket, or edits it where it is there. */
  request(ticket: Ticket, before: Before): CrmRequest;
  /** The CRM's own id of the ticket. A CRM that knows a ticket by our key needs none. */
  idIn?(answer: unknown): string;
}

/** Put the fields of your own CRM here. */
export const templates = {
  /** Tickets have the property `survey_key`, which must be unique. Pipeline and stage are those that each account begins with, so each write opens the ticket. */
  hubspot: {
    request: ({ key, subject, text, isDetractor }) => ({
      method: "POST",
      path: "/crm/v3/objects/tickets/batch/upsert",
      body: {
        inputs: [
          {
            idProperty: "survey_key",
            id: key,
            properties: {
              subject,
              content: text,
              hs_ticket_priority: isDetractor ? "HIGH" : "LOW",
              hs_pipeline: "0",
              hs_pipeline_stage: "1",
            },
          },
        ],
      },
    }),
  },
  /** Cases have the text field `Survey_Key__c`, which is a unique external id. */
  salesforce: {
    request: ({ key, subject, text, isDetractor }, { reopens }) => ({
      method: "PATCH",
      path: `/services/data/v62.0/sobjects/Case/Survey_Key__c/${encodeURIComponent(key)}`,
      body: {
        Subject: subject,
        Description: text,
        Priority: isDetractor ? "High" : "Low",
        Origin: "Web",
        ...(reopens && { Status: "New" }),
      },
    }),
  },
  /** A ticket is made once for each idempotency key, which Zendesk remembers for two hours; later it is known by its id. */
  zendesk: {
    request({ key, subject, text, isDetractor }, { id, lost, reopens }) {
      const fields = {
        subject,
        comment: { body: text, public: false },
        priority: isDetractor ? "high" : "low",
        ...(reopens && { status: "open" }),
      };
      if (id !== undefined) return { method: "PUT", path: `/api/v2/tickets/${id}`, body: { ticket: fields } };
      const once = lost === undefined ? key : `after ${lost}: ${key}`;
      return {
        method: "POST",
        path: "/api/v2/tickets",
        headers: { "idempotency-key": encodeURIComponent(once).slice(0, 255) },
        body: { ticket: { ...fields, external_id: key } },
      };
    },
    idIn: (answer) => String((answer as { ticket: { id: number } }).ticket.id),
  },
} satisfies Record<string, Template>;

export type CrmName = keyof typeof templates;

export function templateOf(crm: string | undefined): Template {
  const found = Object.entries(templates).find(([name]) => name === crm);
  if (found === undefined) throw new Error(`There is no template "${crm}". Take ${Object.keys(templates).join(", ")}.`);
  return found[1];
}
