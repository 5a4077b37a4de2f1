import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Has a server listen on 127.0.0.1, and on no other interface; port 0 takes a free one. Rejects when the port is taken. */
export async function listenHere(server: Server, port = 0): Promise<{ port: number; close(): Promise<void> }> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** Idle and busy connections included. */
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
