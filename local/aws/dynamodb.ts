import type { RequestListener } from "node:http";
import dynalite from "dynalite";
import { closeServer, listenOnLoopback, readBody, withBody } from "./http.ts";

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
  server.removeAllListeners("request");
  server.on("request", front(whole(handle)));
  const endpoint = await listenOnLoopback(server);
  return { endpoint, close: () => closeServer(server) };
}

/** dynalite throws out of an event handler, and so ends the process, when a client breaks off while it is sending. */
function whole(handle: RequestListener): RequestListener {
  return (request, response) => {
    readBody(request).then(
      (body) => handle(withBody(request, body), response),
      () => response.destroy(),
    );
  };
}
