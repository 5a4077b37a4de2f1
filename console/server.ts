import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { errorCode } from "../lib/errors.ts";

/** Only this machine can ask. */
const LOOPBACK = "127.0.0.1";
/** Ports that are tried, one after the other. */
const TRIED = 50;

export interface Served {
  port: number;
  close(): Promise<void>;
}

/** Serves on 127.0.0.1, at this port or the next that is free. */
export async function serve(app: Hono, port: number): Promise<Served> {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await listen(server, port);
  // It keeps no run from ending.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, from: number): Promise<void> {
  for (let port = from; ; port += 1) {
    try {
      server.listen(port, LOOPBACK);
      await once(server, "listening");
      return;
    } catch (error) {
      if (errorCode(error) !== "EADDRINUSE" || port >= from + TRIED) throw error;
    }
  }
}
