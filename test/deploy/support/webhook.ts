import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import type { DeliveredEvent } from "../../support/command.ts";
import { succeed } from "./processes.ts";

/** Responses with a score that says they would not recommend: on the event's detail. */
export const DETRACTORS = { data: { summary: { nps: { class: ["detractor"] } } } };

/** A team elsewhere that is told of detractors, as the configuration has it but for the address. */
export const WEBHOOK = {
  name: "crm",
  where: DETRACTORS,
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

export interface WebhookRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  event: DeliveredEvent;
  /** What it was answered with. */
  status: number;
}

export type WebhookServer = Awaited<ReturnType<typeof startWebhookServer>>;

/** A certificate for 127.0.0.1, made by openssl for this run alone: a client has to trust its file. */
export async function makeCertificate(folder: string) {
  const file = join(folder, "endpoint.pem");
  const keyFile = join(folder, "endpoint.key");
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
  const name = ["-subj", "/CN=endpoint of a test", "-addext", "subjectAltName=IP:127.0.0.1"];
  const { PATH = "" } = process.env;
  const args = ["req", ...kind, ...name, "-keyout", keyFile, "-out", file];
  await succeed("openssl", args, { cwd: folder, env: { PATH }, limit: 30_000 });
  return { file, cert: readFileSync(file, "utf8"), key: readFileSync(keyFile, "utf8") };
}

/** The endpoint of a webhook by https, on a free port of 127.0.0.1. */
export async function startWebhookServer(webhook: { name: string }, { cert, key }: { cert: string; key: string }) {
  const came: WebhookRequest[] = [];
  const state: { verifier?: Webhook; refusals: number } = { refusals: 0 };
  function statusFor(body: string, headers: Record<string, string>): number {
    if (state.refusals > 0) {
      state.refusals -= 1;
      return 503;
    }
    try {
      state.verifier?.verify(body, headers);
      return 204;
    } catch {
      return 401;
    }
  }
  const server = createServer({ cert, key }, async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method = "", url: path = "" } = request;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const status = statusFor(body, headers);
    came.push({ method, path, headers, event: JSON.parse(body) as DeliveredEvent, status });
    response.writeHead(status).end(status === 204 ? undefined : "not now\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** The webhook, as the configuration has it. */
    config: { ...webhook, url: `https://127.0.0.1:${port}/${webhook.name}?team=research` },
    /** All that came, in that order. */
    came: came as readonly WebhookRequest[],
    /** Those that were taken, repeats and replays included. */
    taken: () => came.filter(({ status }) => status === 204),
    /** What was answered with an error, each attempt. */
    refused: () => came.filter(({ status }) => status !== 204),
    /** Answers so many of the next requests with 503: all by default, and none again by 0. */
    refuse(requests = Number.POSITIVE_INFINITY) {
      state.refusals = requests;
    },
    /** The signing secret that the endpoint knows: what is not signed with it is answered 401. Before that, anything is taken. */
    knows(secret: string) {
      state.verifier = new Webhook(secret);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
