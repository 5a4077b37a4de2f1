import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Gate {
  /** The service through the gate. */
  url: string;
  /** From now on connections are refused, and those that were open are gone. */
  shut(): void;
  open(): Promise<void>;
}

/** A way to a service on this machine that can be closed, so that the service is unreachable and keeps what it has. */
export async function startGate(target: string): Promise<Gate> {
  const { port: inner } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((outside) => {
    const inside = connect(Number(inner), "127.0.0.1");
    for (const [one, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const shut = (): void => {
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(shut);
  return { url: `http://127.0.0.1:${port}`, shut, open: () => listen(port) };
}
