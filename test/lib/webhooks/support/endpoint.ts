import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";

export interface Posted {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface TestEndpoint {
  /** Its query is what must not show anywhere. */
  url: string;
  posted: Posted[];
  /** How it answers; by default 204. */
  answer: (posted: Posted, response: ServerResponse) => void;
}

const taken: TestEndpoint["answer"] = (_posted, response) => response.writeHead(204).end();

/** An endpoint of a webhook on this machine, for all tests of a file. */
export function useEndpoint(): TestEndpoint {
  const endpoint: TestEndpoint = { url: "", posted: [], answer: taken };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const one = { method: request.method, path: request.url, headers: request.headers, body };
    endpoint.posted.push(one);
    endpoint.answer(one, response);
  });
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=hunter2`;
  });
  beforeEach(() => {
    endpoint.posted.length = 0;
    endpoint.answer = taken;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return endpoint;
}

/** Headers of a request as the verifier of `standardwebhooks` takes them. */
export function headersOf({ headers }: Posted): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

export function secretOf(byte: number): string {
  return `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
}
