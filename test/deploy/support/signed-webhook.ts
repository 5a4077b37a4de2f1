import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { DeliveredEvent } from "../../support/command.ts";
import type { Certificate } from "./certificate.ts";

/** Secrets as they are made for an endpoint. */
export const SIGNING = {
  first: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  second: `whsec_${Buffer.alloc(32, 2).toString("base64")}`,
};

export interface SignedRequest {
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string;
  event: DeliveredEvent;
  status: number;
}

export interface SignedServer {
  /** The webhook, as the configuration has it. */
  webhook: { name: string; url: string; signing: { secret: string }; ratePerSecond: number };
  /** All that came, refused or not. */
  readonly requests: readonly SignedRequest[];
  /** Those that were taken. */
  taken(): SignedRequest[];
  /** The secret that the endpoint knows: what is not signed with it is answered 401. */
  knows(secret: string): void;
  /** Answers so many requests with this status, whatever their signature. */
  refuse(status: number, requests: number): void;
  close(): Promise<void>;
}

/** An endpoint by https, which verifies each request as `standardwebhooks` does. */
export async function startSignedServer({ cert, key }: Certificate): Promise<SignedServer> {
  const requests: SignedRequest[] = [];
  const state = { verifier: new Webhook(SIGNING.first), status: 0, left: 0 };
  const server = createServer({ cert, key }, async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const status = statusFor(body, headers);
    requests.push({ path: request.url ?? "", headers, body, event: JSON.parse(body) as DeliveredEvent, status });
    response.writeHead(status).end(status === 204 ? undefined : "not now\n");
  });
  function statusFor(body: string, headers: Record<string, string>): number {
    if (state.left > 0) {
      state.left -= 1;
      return state.status;
    }
    try {
      state.verifier.verify(body, headers);
      return 204;
    } catch {
      return 401;
    }
  }
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    webhook: {
      name: "signed",
      url: `https://127.0.0.1:${port}/signed?team=research`,
      signing: { secret: "signed/signing" },
      ratePerSecond: 100,
    },
    requests,
    taken: () => requests.filter(({ status }) => status === 204),
    knows(secret) {
      state.verifier = new Webhook(secret);
    },
    refuse: (status, left) => Object.assign(state, { status, left }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
