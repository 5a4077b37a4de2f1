import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listenHere } from "../listen.ts";

export interface HttpRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The answer over the wire, or the event of the connection in its place. */
export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Half of the body comes, and then the connection ends. */
  isCut?: boolean;
}
export type HttpOutcome = HttpReply | "reset";

/** Serves on 127.0.0.1 only; port 0 takes a free one. Rejects when the port is taken. */
export async function startHttpServer(port: number, answer: (request: HttpRequest) => Promise<HttpOutcome>) {
  const server = createServer((request, response) => {
    serve(request, response, answer).catch((error: unknown) => {
      request.socket.destroy();
      // A client that goes away in the middle of its request is no concern of the service. Anything else is a fault of
      // the simulator or of a hook: as a 500 it would look like one of the service's own.
      if (!request.complete) return;
      process.nextTick(() => {
        throw error;
      });
    });
  });
  const bound = await listenHere(server, port);
  return { url: `http://127.0.0.1:${bound.port}`, close: bound.close };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: HttpRequest) => Promise<HttpOutcome>,
): Promise<void> {
  const { method = "", url = "", headers } = request;
  const outcome = await answer({ method, path: url, headers, body: await text(request) });
  if (outcome === "reset") {
    request.socket.resetAndDestroy();
    return;
  }
  const body = Buffer.from(outcome.body);
  response.writeHead(outcome.status, {
    ...outcome.headers,
    // HTTP allows no length for a 204.
    ...(outcome.status === 204 ? {} : { "Content-Length": body.length }),
  });
  if (outcome.isCut !== true) {
    response.end(body);
    return;
  }
  await new Promise<void>((resolve) => response.write(body.subarray(0, body.length >> 1), () => resolve()));
  request.socket.destroySoon();
}
