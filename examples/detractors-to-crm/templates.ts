import type { Ticket } from "./ticket.ts";

export interface CrmRequest {
  method: "POST" | "PUT" | "PATCH";
  path: string;
  headers?: Record<string, string>;
  body: object;
}

/** How a CRM takes a ticket. */
interface Template {
  /** The request that makes the ticket, or edits it where it is there. `id`: what `idIn` has read from an earlier answer. */
  request(ticket: Ticket, id: string | undefined): CrmRequest;
  /** The CRM's own id of the ticket. A CRM that knows a ticket by our key needs none. */
  idIn?(answer: unknown): string;
}

/** Put the fields of your own CRM here. */
export const templates = {
  /** Tickets have the property `survey_key`, which must be unique. Pipeline and stage are those that each account begins with. */
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
    request: ({ key, subject, text, isDetractor }) => ({
      method: "PATCH",
      path: `/services/data/v62.0/sobjects/Case/Survey_Key__c/${encodeURIComponent(key)}`,
      body: { Subject: subject, Description: text, Priority: isDetractor ? "High" : "Low", Origin: "Web" },
    }),
  },
  /** A ticket is made once for each idempotency key, which Zendesk remembers for two hours; later it is known by its id. */
  zendesk: {
    request({ key, subject, text, isDetractor }, id) {
      const fields = { subject, comment: { body: text, public: false }, priority: isDetractor ? "high" : "low" };
      if (id !== undefined) return { method: "PUT", path: `/api/v2/tickets/${id}`, body: { ticket: fields } };
      return {
        method: "POST",
        path: "/api/v2/tickets",
        headers: { "idempotency-key": encodeURIComponent(key).slice(0, 255) },
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
