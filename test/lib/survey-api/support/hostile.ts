import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { TOKEN } from "./service.ts";

/** What does with one request whatever it likes, on the bare socket. */
export type Behaviour = (socket: Socket, request: string) => void;

interface HostileService {
  url: string;
  port: number;
  /** Every request as it came, head and body. */
  requests: string[];
  /** What data requests meet from now on. */
  behave: Behaviour;
  /** What the token request meets; a good token by default. */
  token: Behaviour;
  connections: { accepted: number; open: number };
}

/** The head of an answer with these header lines. */
export const head = (lines: string, status = "200 OK"): string => `HTTP/1.1 ${status}\r\n${lines}\r\n\r\n`;

/** One chunk of an answer with `transfer-encoding: chunked`. */
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** An answer before the answer. */
export const earlyHints = head("link: </x>; rel=preload", "103 Early Hints");

/** A whole answer with these headers; its length is told unless they say otherwise. */
export function answer(
  body: string | Buffer,
  headers: Record<string, string> = {},
  status = "200 OK",
): (socket: Socket) => void {
  const given = Buffer.from(body);
  const lines = Object.entries({ "content-length": String(given.length), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const bytes = Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`), given]);
  return (socket) => void socket.write(bytes);
}

/** The survey list, as any healthy service gives it. */
export const good = answer('[{"surveyId":1}]');

/** Writes these bytes and, once they are on their way, ends the connection: with FIN, or with RST. */
export function cut(bytes: string | Buffer, how: "end" | "reset" = "end"): Behaviour {
  return (socket) => {
    socket.write(bytes, () => {
      if (how === "end") socket.end();
      // After the client had a moment to read: a reset throws away what was not read yet.
      else setTimeout(() => socket.resetAndDestroy(), 5);
    });
  };
}

/** Writes `piece` every so many milliseconds until the connection is gone. */
export function trickle(head: string, piece: string, milliseconds: number): Behaviour {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), milliseconds);
    socket.on("close", () => clearInterval(timer));
  };
}

/** Writes `head`, and then up to `total` bytes as fast as they are taken; `taken` counts what has left this process. */
export function flood(head: string, chunk: Buffer, total: number, taken: { bytes: number }): Behaviour {
  return (socket) => {
    let written = 0;
    const pump = (): void => {
      if (written >= total || socket.destroyed) return;
      written += chunk.length;
      socket.write(chunk, (error) => {
        if (error) return;
        taken.bytes += chunk.length;
        pump();
      });
    };
    socket.write(head, () => pump());
  };
}

/** A TCP server on loopback that reads HTTP requests one by one and answers each as told. */
export async function startHostile(behave: Behaviour = good): Promise<HostileService> {
  const requests: string[] = [];
  const connections = { accepted: 0, open: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    connections.accepted += 1;
    connections.open += 1;
    let unread = "";
    socket.on("data", (data) => {
      unread += data.toString("latin1");
      for (let request = firstRequest(unread); request !== undefined; request = firstRequest(unread)) {
        unread = unread.slice(request.length);
        requests.push(request);
        (request.startsWith("POST /oauth/token/") ? service.token : service.behave)(socket, request);
      }
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      connections.open -= 1;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const token = answer(JSON.stringify({ token: TOKEN }));
  const service = { url: `http://127.0.0.1:${port}`, port, requests, behave, token, connections };
  return service;
}

function firstRequest(text: string): string | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length < head + 4 + length ? undefined : text.slice(0, head + 4 + length);
}
