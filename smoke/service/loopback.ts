import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AnsweringService } from "./answer.ts";

export interface Loopback {
  url: string;
  close(): Promise<void>;
}

/** The service on 127.0.0.1, where there are no function URLs. It is closed with it. */
export async function startLoopback({ answer, close }: AnsweringService): Promise<Loopback> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(parts).toString("utf8");
      answer({
        rawPath: url,
        headers: { "content-type": headers["content-type"], authorization: headers.authorization },
        requestContext: { http: { method } },
        ...(body === "" ? {} : { body }),
      }).then(
        (given) => response.writeHead(given.statusCode, given.headers).end(given.body),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await close();
    },
  };
}
