import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A ticket as the CRM has it: what was sent last, and how often it was written. */
export interface CrmTicket {
  subject: string;
  text: string;
  priority: string;
  status: Status;
  writes: number;
}

/** Nobody opens a ticket that is closed. */
type Status = "open" | "solved" | "closed" | "deleted";

interface Call {
  method: string;
  path: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

interface Answer {
  status: number;
  body?: object;
}

const AUTHORIZED = "Bearer let-me-in";

export type TestCrm = Awaited<ReturnType<typeof startCrm>>;

/** HubSpot, Salesforce and Zendesk in one, as far as tickets go, on 127.0.0.1. */
export async function startCrm() {
  const tickets = new Map<string, CrmTicket>();
  /** Keys by Zendesk's id of the ticket, which is the place. */
  const zendesk: string[] = [];
  const idempotent = new Map<string, { body: string; id: number }>();
  const state = { requests: 0, refusals: [] as number[] };

  function write(key: string, ticket: Omit<CrmTicket, "writes" | "status">, opens: boolean): Answer {
    const before = tickets.get(key);
    const status = opens || before === undefined ? "open" : before.status;
    tickets.set(key, { ...ticket, status, writes: (before?.writes ?? 0) + 1 });
    return { status: before === undefined ? 201 : 200, body: {} };
  }

  function hubspot(body: string): Answer {
    const [{ idProperty, id, properties }] = JSON.parse(body).inputs;
    if (idProperty !== "survey_key") return { status: 400 };
    const { subject, content: text, hs_ticket_priority: priority, hs_pipeline_stage: stage } = properties;
    return write(id, { subject, text, priority: priority.toLowerCase() }, stage === "1");
  }

  function salesforce(key: string, body: string): Answer {
    const { Subject: subject, Description: text, Priority: priority, Status } = JSON.parse(body);
    const { status } = write(key, { subject, text, priority: priority.toLowerCase() }, Status === "New");
    return { status: status === 201 ? 201 : 204 };
  }

  function createInZendesk({ headers, body }: Call): Answer {
    const once = String(headers["idempotency-key"]);
    const earlier = idempotent.get(once);
    if (earlier !== undefined)
      return earlier.body === body ? { status: 200, body: { ticket: { id: earlier.id } } } : { status: 400 };
    const { external_id: key, subject, comment, priority } = JSON.parse(body).ticket;
    // Here a second ticket of the same key would be another one.
    const name = tickets.has(key) ? `${key} again` : key;
    const id = zendesk.push(name) - 1;
    idempotent.set(once, { body, id });
    write(name, { subject, text: comment.body, priority }, true);
    return { status: 201, body: { ticket: { id } } };
  }

  function editInZendesk(id: number, body: string): Answer {
    const key = zendesk[id];
    const before = tickets.get(key ?? "")?.status;
    if (key === undefined || before === "deleted") return { status: 404 };
    if (before === "closed") return { status: 422 };
    const { subject, comment, priority, status } = JSON.parse(body).ticket;
    write(key, { subject, text: comment.body, priority }, status === "open");
    return { status: 200, body: { ticket: { id } } };
  }

  function answerTo(call: Call): Answer {
    const { method, path, headers, body } = call;
    if (`${method} ${path}` === "POST /services/oauth2/token") {
      const form = new URLSearchParams(body);
      const isKnown = form.get("client_id") === "app" && form.get("client_secret") === "hush";
      return isKnown ? { status: 200, body: { access_token: AUTHORIZED.slice("Bearer ".length) } } : { status: 401 };
    }
    state.requests += 1;
    const refused = state.refusals.shift();
    if (refused !== undefined) return { status: refused, body: {} };
    if (headers.authorization !== AUTHORIZED) return { status: 401 };
    const [, caseKey] = /^\/services\/data\/v62\.0\/sobjects\/Case\/Survey_Key__c\/([^/]+)$/.exec(path) ?? [];
    const [, ticketId] = /^\/api\/v2\/tickets\/(\d+)$/.exec(path) ?? [];
    if (method === "PATCH" && caseKey !== undefined) return salesforce(decodeURIComponent(caseKey), body);
    if (method === "PUT" && ticketId !== undefined) return editInZendesk(Number(ticketId), body);
    if (method === "POST" && path === "/api/v2/tickets") return createInZendesk(call);
    if (method === "POST" && path === "/crm/v3/objects/tickets/batch/upsert") return hubspot(body);
    return { status: 404 };
  }

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method = "", url: path = "", headers } = request;
    const answer = answerTo({ method, path, headers, body });
    response.writeHead(answer.status).end(answer.body && JSON.stringify(answer.body));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** What the secret of the example holds. */
    secret: { url, authorization: AUTHORIZED },
    /** By key. */
    tickets: tickets as ReadonlyMap<string, CrmTicket>,
    /** Requests for tickets since the last call. */
    requests(): number {
      const { requests } = state;
      state.requests = 0;
      return requests;
    },
    /** Answers the next requests with these. */
    refuse(...statuses: number[]) {
      state.refusals.push(...statuses);
    },
    /** As somebody leaves a ticket who works with the CRM. */
    put(key: string, status: Status) {
      const ticket = tickets.get(key);
      if (ticket !== undefined) tickets.set(key, { ...ticket, status });
    },
    clear() {
      tickets.clear();
      zendesk.length = 0;
      idempotent.clear();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
