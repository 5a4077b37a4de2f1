import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createService, type ServiceSettings } from "./service.ts";

/** An emulator of AWS serves no function URLs: there the same code answers on 127.0.0.1. Gives its address. */
export async function serveOnLoopback(settings: ServiceSettings): Promise<string> {
  const answer = await createService(settings);
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = "", url = "", headers } = request;
    const {
      statusCode,
      headers: given,
      body,
    } = await answer({
      rawPath: url,
      headers: { "content-type": headers["content-type"], authorization: headers.authorization },
      requestContext: { http: { method } },
      ...(parts.length === 0 ? {} : { body: Buffer.concat(parts).toString("base64"), isBase64Encoded: true }),
    });
    response.writeHead(statusCode, given).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
