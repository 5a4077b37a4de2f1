import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { DeliveredEvent } from "../../support/command.ts";
import type { Certificate } from "./certificate.ts";
import { isReplayed, type ReplayedEvent } from "./subscription.ts";

/** Responses with a score that says they would not recommend: on the event's detail. */
export const DETRACTORS_ONLY = { data: { summary: { nps: { class: ["detractor"] } } } };

/** A team elsewhere that is told of detractors, as the configuration has it but for the address. */
export const WEBHOOK = {
  name: "crm",
  where: DETRACTORS_ONLY,
  auth: { type: "bearer", secret: "crm/webhook" },
  ratePerSecond: 100,
  retry: { maxAge: "1h", attempts: 1 },
};

/** One that signs, and sends a key beside the signature. */
export const SIGNED = {
  name: "signed",
  auth: { type: "header", secret: "crm/webhook" },
  signing: { secret: "signed/signing" },
  ratePerSecond: 100,
};

/** The secret that `auth` of both names. */
export const WEBHOOK_SECRET = { token: "the-token-of-the-crm", value: "the-key-of-the-crm" };

/** Secrets as they are made for an endpoint. */
export const SIGNING = {
  first: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  second: `whsec_${Buffer.alloc(32, 2).toString("base64")}`,
};

export interface WebhookRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string;
  event: DeliveredEvent;
  /** What it was answered with. */
  status: number;
}

export interface WebhookServer<Config = object> {
  /** The webhook, as the configuration has it. */
  config: Config & { url: string };
  /** All that came, in that order. */
  readonly came: readonly WebhookRequest[];
  /** Those that were taken, repeats included, but for replays. */
  taken(): WebhookRequest[];
  /** What a replay of the archive has sent again. */
  replayed(): ReplayedEvent[];
  /** What was answered with an error, each attempt. */
  refused(): WebhookRequest[];
  /** Answers the next requests, or all, with this status, until the function that it gives is called. */
  refuse(status: number, requests?: number): () => void;
  /** The signing secret that the endpoint knows: what is not signed with it is answered 401. Before that, anything is taken. */
  knows(secret: string): void;
  close(): Promise<void>;
}

/** The endpoint of a webhook by https, on a free port of 127.0.0.1. */
export async function startWebhookServer<Config extends { name: string }>(
  webhook: Config,
  { cert, key }: Certificate,
): Promise<WebhookServer<Config>> {
  const came: WebhookRequest[] = [];
  const state: { verifier?: Webhook; status: number; left: number } = { status: 0, left: 0 };
  const server = createServer({ cert, key }, async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method = "", url: path = "" } = request;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const status = statusFor(body, headers);
    came.push({ method, path, headers, body, event: JSON.parse(body) as DeliveredEvent, status });
    response.writeHead(status).end(status === 204 ? undefined : "not now\n");
  });
  function statusFor(body: string, headers: Record<string, string>): number {
    if (state.left > 0) {
      state.left -= 1;
      return state.status;
    }
    try {
      state.verifier?.verify(body, headers);
      return 204;
    } catch {
      return 401;
    }
  }
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const took = () => came.filter(({ status }) => status === 204);
  return {
    config: { ...webhook, url: `https://127.0.0.1:${port}/${webhook.name}?team=research` },
    came,
    taken: () => took().filter(({ event }) => !isReplayed(event)),
    replayed: () => took().flatMap(({ event }) => (isReplayed(event) ? [event] : [])),
    refused: () => came.filter(({ status }) => status !== 204),
    refuse(status, left = Number.POSITIVE_INFINITY) {
      Object.assign(state, { status, left });
      return () => {
        state.left = 0;
      };
    },
    knows(secret) {
      state.verifier = new Webhook(secret);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
