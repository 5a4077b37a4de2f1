import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import dynalite from "dynalite";
import { captureAnswer, closeServer, listenOnLoopback, readBody, withBody } from "./http.ts";

export interface RunningService {
  endpoint: string;
  close(): Promise<void>;
}

/** DynamoDB on disk: dynalite's own server, with `front` put before its handler. */
export async function startDynamodb(
  path: string,
  front: (handle: RequestListener) => RequestListener,
): Promise<RunningService> {
  const server = dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const [handle] = server.listeners("request") as RequestListener[];
  if (handle === undefined) throw new TypeError("dynalite's server has no request handler");
  const shielded = shield(handle);
  server.removeAllListeners("request");
  server.on("request", front(shielded.handle));
  const endpoint = await listenOnLoopback(server);
  return {
    endpoint,
    async close() {
      await shielded.drain();
      await closeServer(server);
    },
  };
}

/**
 * dynalite throws out of a callback, and so ends the process, in two cases: a client breaks off while it is sending, or its store is closed
 * under an operation. So it sees whole requests only, and is closed after the last one.
 */
function shield(handle: RequestListener): { handle: RequestListener; drain(): Promise<void> } {
  const running = new Set<Promise<void>>();
  let closing = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (closing) {
      response.destroy();
      return;
    }
    const { status, headers, body: text } = await captureAnswer(handle, withBody(request, body));
    response.writeHead(status, headers);
    response.end(text);
  }

  return {
    handle(request, response) {
      const one = answer(request, response)
        .catch(() => {
          response.destroy();
        })
        .finally(() => running.delete(one));
      running.add(one);
    },
    async drain() {
      closing = true;
      await Promise.all(running);
    },
  };
}
