import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { DeliveredEvent } from "../../support/command.ts";
import type { Emulator } from "./emulator.ts";

const HOST = "crm.example.com";

/** Responses with a score that says they would not recommend: on the event's detail. */
export const DETRACTORS_ONLY = { data: { metrics: { score: { nps: [true], pointsSum: [{ numeric: ["<=", 6] }] } } } };

/** A team elsewhere that is told of detractors, as the configuration has it. */
export const WEBHOOK = {
  name: "crm",
  url: `https://${HOST}/surveys?team=research`,
  where: DETRACTORS_ONLY,
  auth: { type: "bearer", secret: "crm/webhook" },
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
  /** Everything that was received so far, repeats included. */
  readonly requests: readonly WebhookRequest[];
  close(): Promise<void>;
}

/** The endpoint of the webhook, on a free port of 127.0.0.1: the emulator is told to deliver here what goes to its host. */
export async function startWebhookServer({ url }: Emulator): Promise<WebhookServer> {
  const requests: WebhookRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      requests.push({ method, path, headers, event: JSON.parse(body) as DeliveredEvent });
      response.writeHead(204).end();
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
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
