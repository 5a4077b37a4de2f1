import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";

/** Milliseconds after which the server closes, at the latest, a connection that carries nothing. */
const KEEP_ALIVE = 300;

/** A service whose tokens live for a second, so that each round after a freeze asks for new ones by POST. */
async function startService() {
  const counts = { connections: 0, posts: 0 };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void text(request).then(() => {
      if (request.method !== "POST") return response.end('[{"surveyId":1}]');
      counts.posts += 1;
      return response.end(JSON.stringify({ token: `token-${counts.posts}`, expires_in: 1 }));
    });
  });
  server.on("connection", () => {
    counts.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It closes them earlier than it says, as one does that is started anew, or a balancer in front of it.
  const closing = setInterval(() => server.closeIdleConnections(), KEEP_ALIVE);
  onTestFinished(() => {
    clearInterval(closing);
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts };
}

/** How many of twenty calls fail after `frozen` milliseconds. */
async function round(child: ChildProcess, frozen: number, renew: boolean): Promise<number> {
  child.send({ frozen, renew });
  const [failed] = (await once(child, "message")) as [number];
  return failed;
}

it("a process that stood still while the server closed its connections goes on without a failure, GET and POST alike", async () => {
  const service = await startService();
  const child = fork(join(import.meta.dirname, "../support/frozen-child.ts"), [service.url]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  expect(await round(child, 0, false)).toBe(0);
  const { posts } = service.counts;

  for (let freeze = 0; freeze < 4; freeze += 1) expect(await round(child, 5 * KEEP_ALIVE, freeze % 2 === 0)).toBe(0);

  expect(service.counts.connections).toBeGreaterThanOrEqual(5 * 20);
  expect(service.counts.posts).toBeGreaterThanOrEqual(posts + 4 * 20);
});
