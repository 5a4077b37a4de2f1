import type { Socket } from "node:net";
import { type Answer, type Service, startService } from "./service.ts";

/** What does with one request whatever it likes, on the bare socket. */
export type Behaviour = (socket: Socket) => void;

/** The head of an answer with these header lines. */
export const head = (lines: string, status = "200 OK"): string => `HTTP/1.1 ${status}\r\n${lines}\r\n\r\n`;

/** One chunk of an answer with `transfer-encoding: chunked`. */
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** An answer before the answer. */
export const earlyHints = head("link: </x>; rel=preload", "103 Early Hints");

/** A whole answer with these headers; its length is told unless they say otherwise. */
export function answer(body: string | Buffer, headers: Record<string, string> = {}, status = "200 OK"): Behaviour {
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

/** Such a behaviour for one request of the service. */
export const bare =
  (behave: Behaviour): Answer =>
  (_response, { socket }) =>
    behave(socket);

/** A service whose data requests meet this. */
export async function startHostile(behave: Behaviour = good): Promise<Service & { behave: Behaviour }> {
  const service = { ...(await startService()), behave };
  service.answers.set("/api/v3/surveys/", () => bare(service.behave));
  return service;
}
