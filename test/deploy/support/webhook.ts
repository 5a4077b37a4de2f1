import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { DeliveredEvent } from "../../support/command.ts";
import type { Emulator } from "./emulator.ts";
import { isReplayed, type ReplayedEvent } from "./subscription.ts";

const HOST = "crm.example.com";

/** Responses with a score that says they would not recommend: on the event's detail. */
export const DETRACTORS_ONLY = { data: { summary: { nps: { class: ["detractor"] } } } };

/** A team elsewhere that is told of detractors, as the configuration has it. */
export const WEBHOOK = {
  name: "crm",
  url: `https://${HOST}/surveys?team=research`,
  where: DETRACTORS_ONLY,
  auth: { type: "bearer", secret: "crm/webhook" },
  retry: { maxAge: "1h", attempts: 3 },
};

/** The secret that the webhook's `auth` names. */
export const WEBHOOK_SECRET = { token: "the-token-of-the-crm" };

export interface WebhookRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  event: DeliveredEvent;
}

export interface WebhookServer {
  /** Everything that was taken so far, repeats included, but for replays. */
  readonly requests: readonly WebhookRequest[];
  /** What a replay of the archive has sent again. */
  readonly replayed: readonly ReplayedEvent[];
  /** What was answered with an error, each attempt. */
  readonly refused: readonly WebhookRequest[];
  /** Answers the next requests, or all, with this status, until the function that it gives is called. */
  refuse(status: number, requests?: number): () => void;
  close(): Promise<void>;
}

/** The endpoint of the webhook, on a free port of 127.0.0.1: the emulator is told to deliver here what goes to its host. */
export async function startWebhookServer({ url }: Emulator): Promise<WebhookServer> {
  const requests: WebhookRequest[] = [];
  const replayed: ReplayedEvent[] = [];
  const refused: WebhookRequest[] = [];
  const fault = { status: 0, left: 0 };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const event = JSON.parse(body) as DeliveredEvent;
      const isRefused = fault.left > 0;
      if (isRefused) fault.left -= 1;
      if (!isRefused && isReplayed(event)) replayed.push(event);
      else (isRefused ? refused : requests).push({ method, path, headers, event });
      response.writeHead(isRefused ? fault.status : 204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const hosts = { [HOST]: `http://127.0.0.1:${port}` };
  const answer = await fetch(`${url}/_test/hosts`, { method: "POST", body: JSON.stringify(hosts) });
  if (!answer.ok) throw new Error(`the emulator takes no hosts: ${answer.status}`);
  return {
    requests,
    replayed,
    refused,
    refuse(status, count = Number.POSITIVE_INFINITY) {
      Object.assign(fault, { status, left: count });
      return () => {
        fault.left = 0;
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
