import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** Listens, and is stopped before it accepts anything. */
const listen = `
const { createServer } = require("node:net");
const { parentPort } = require("node:worker_threads");
const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});
`;

/** The URL of a port to which no further connection can be made, nor is refused: nobody accepts, and the queue is full. */
export async function startDeafListener(): Promise<string> {
  const worker = new Worker(listen, { eval: true });
  const [port] = (await once(worker, "message")) as [number];
  const fillers = Array.from({ length: 6 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  onTestFinished(async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
  // The first ones stand at once; the others wait for a place as the client will.
  await once(fillers[0] ?? worker, "connect");
  await new Promise((resolve) => setTimeout(resolve, 20));
  return `http://127.0.0.1:${port}`;
}
