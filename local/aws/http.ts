import {
  createServer,
  IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a server on a free port of 127.0.0.1, never of another interface: what it holds is personal data. */
export async function listenOnLoopback(server: Server): Promise<string> {
  // Above the SDK agents' own idle time, so that a reused connection is not closed under a request.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

export function createLoopbackServer(): Server {
  return createServer();
}

/** Closes a server at once, idle and busy connections included. */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined || error === null ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The same request with a body that is already in memory, and so cannot break off half-way. */
export function withBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  const { "transfer-encoding": _chunked, ...headers } = request.headers;
  copy.method = request.method ?? "POST";
  copy.url = request.url ?? "/";
  copy.httpVersion = request.httpVersion;
  copy.headers = { ...headers, "content-length": String(body.length) };
  copy.complete = true;
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}

export interface CapturedAnswer {
  status: number;
  /** As far as the handler set them one by one; not those it gave along with the status. */
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

/** Runs a handler to its end without sending what it answers. */
export function captureAnswer(handle: RequestListener, request: IncomingMessage): Promise<CapturedAnswer> {
  return new Promise((resolve) => {
    const response = new ServerResponse(request);
    const chunks: Buffer[] = [];
    function collect(chunk: unknown): void {
      if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
    }
    Object.assign(response, {
      write(chunk: unknown): boolean {
        collect(chunk);
        return true;
      },
      end(chunk?: unknown): ServerResponse {
        collect(chunk);
        process.nextTick(() => response.emit("finish"));
        resolve({ status: response.statusCode, headers: response.getHeaders(), body: Buffer.concat(chunks) });
        return response;
      },
    });
    handle(request, response);
  });
}
