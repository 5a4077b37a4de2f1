import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Posted {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface TestEndpoint extends AsyncDisposable {
  /** Its query is what must not show anywhere. */
  url: string;
  posted: Posted[];
  /** How it answers; by default 204. */
  answer: (posted: Posted, response: ServerResponse) => void;
}

/** An endpoint of a webhook on this machine. */
export async function startEndpoint(): Promise<TestEndpoint> {
  const endpoint: Omit<TestEndpoint, "url"> & { server: Server } = {
    server: createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const one = { method: request.method, path: request.url, headers: request.headers, body };
      endpoint.posted.push(one);
      endpoint.answer(one, response);
    }),
    posted: [],
    answer: (_posted, response) => response.writeHead(204).end(),
    async [Symbol.asyncDispose]() {
      endpoint.server.closeAllConnections();
      endpoint.server.close();
      await once(endpoint.server, "close");
    },
  };
  await once(endpoint.server.listen(0, "127.0.0.1"), "listening");
  const { port } = endpoint.server.address() as AddressInfo;
  return Object.assign(endpoint, { url: `http://127.0.0.1:${port}/hook?key=hunter2` });
}

/** Headers of a request as the verifier of `standardwebhooks` takes them. */
export function headersOf({ headers }: Posted): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

export function secretOf(byte: number): string {
  return `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
}
