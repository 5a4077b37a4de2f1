import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Clients, createClients } from "../../../lib/aws/clients.ts";
import { PUBLISH_TIMEOUT } from "../../../lib/polling/index.ts";

const SECOND = 1_000;
/** As a tick keeps it in reserve. */
const RESERVE = 20 * SECOND;

let server: Server;
let clients: Clients;
const sockets = new Set<Socket>();

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Takes every connection, and says nothing. */
beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  for (const service of ["DYNAMODB", "EVENTBRIDGE", "S3", "SECRETS_MANAGER"]) {
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, `http://127.0.0.1:${port}`);
  }
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  clients = createClients();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  for (const client of [clients.dynamodb, clients.events, clients.secrets]) client.destroy();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
});

it("what the bus has not answered is given up, and tried again by nobody but the publisher", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const outcome = expect(clients.events.send(new PutEventsCommand({ Entries: [] }))).rejects.toMatchObject({
    name: "TimeoutError",
  });
  while (sockets.size < 1) await turn();
  await vi.advanceTimersByTimeAsync(PUBLISH_TIMEOUT - 1);
  await outcome;
  expect(sockets.size).toBe(1);
});

it.each<[string, (clients: Clients) => Promise<unknown>]>([
  ["DynamoDB", ({ dynamodb }) => dynamodb.send(new GetCommand({ TableName: "t", Key: { pk: "1", sk: "1" } }))],
  ["S3", async ({ s3 }) => (await s3()).send(new GetObjectCommand({ Bucket: "b", Key: "k" }))],
  ["Secrets Manager", ({ secrets }) => secrets.send(new GetSecretValueCommand({ SecretId: "s" }))],
])(
  "a connection to %s that hangs is given up, and another one tried, within what a tick keeps in reserve",
  async (_, call) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    call(clients).catch(() => undefined);
    while (sockets.size < 1) await turn();
    for (let passed = 0; passed < RESERVE && sockets.size < 2; passed += 100) {
      await vi.advanceTimersByTimeAsync(100);
      // The network keeps to no clock of ours.
      for (let i = 0; i < 20; i += 1) await turn();
    }
    expect(sockets.size).toBe(2);
  },
);
