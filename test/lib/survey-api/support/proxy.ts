import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

interface Proxy {
  url: string;
  /** `host:port` of every CONNECT, and its credentials as they came. */
  tunnels: { target: string; authorization: string | undefined }[];
  /** Requests that came without a tunnel. */
  others: string[];
}

/** How a CONNECT is met: with a tunnel, a status, or nothing at all. */
type Meets = "tunnel" | "silence" | "reset" | number;

/** An HTTP proxy on loopback that makes tunnels for those who show these credentials, `user:password`. */
export async function startProxy(meets: Meets = "tunnel", credentials?: string): Promise<Proxy> {
  const tunnels: Proxy["tunnels"] = [];
  const others: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    others.push(`${request.method} ${request.url}`);
    response.writeHead(501).end();
  });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  server.on("connection", keep);
  server.on("connect", (request, socket: Socket) => {
    const authorization = request.headers["proxy-authorization"];
    tunnels.push({ target: request.url ?? "", authorization });
    const isKnown =
      credentials === undefined || authorization === `Basic ${Buffer.from(credentials).toString("base64")}`;
    if (meets === "silence") return;
    if (meets === "reset") return socket.resetAndDestroy();
    if (!isKnown || meets !== "tunnel") {
      const status = isKnown ? meets : 407;
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\nproxy-authenticate: Basic realm="x"\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(target).pipe(socket);
    });
    keep(target);
    target.on("close", () => socket.destroy());
    socket.on("close", () => target.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tunnels, others };
}
