import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListenAnswer } from "../../../../lib/cli/verbs/listen.ts";
import { answerOf, type Ran, survey } from "../support/command.ts";
import { useRunningFolder } from "../support/running-folder.ts";

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString("base64")}`;

interface Posted {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

const test = useRunningFolder();
let consumer: Server;
let address: string;
let posted: Posted[] = [];
/** What the consumer answers next; 0 drops the connection. */
let answers: number[] = [];

beforeAll(async () => {
  consumer = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    posted.push({ method, url, headers, body });
    const status = answers.shift() ?? 200;
    if (status === 0) response.destroy();
    else response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end("hunter2");
  });
  await new Promise<void>((resolve) => consumer.listen(0, "127.0.0.1", resolve));
  address = `http://localhost:${(consumer.address() as AddressInfo).port}/events?key=hunter2`;
});
afterAll(() => void consumer.close());

/** Listens while these are triggered, of which the consumer answers so. */
async function listen(given: readonly number[], args: readonly string[] = []): Promise<Ran> {
  const { folder } = test;
  posted = [];
  answers = [...given];
  const count = `${Math.max(1, given.length)}`;
  const line = ["listen", "--data", folder.data, "--forward-to", address, "--count", count, ...args];
  const running = survey(line, { environment: { WEBHOOK_SECRET: SECRET } });
  await folder.heardBy(1);
  for (let i = 0; i < Number(count); i += 1) await survey(["trigger", "detractor", "--data", folder.data, "--yes"]);
  return running;
}

describe("an event", () => {
  it("is posted as a webhook gets it, signed by Standard Webhooks; then the rule and its queue are gone", async () => {
    const ran = await listen([204], ["--secret", "WEBHOOK_SECRET"]);

    expect(ran.stdout).toMatch(/^\d\d:\d\d:\d\d response\.completed 46375 → 204 in \d+ ms\n$/);
    expect(ran.code).toBe(0);
    const [one] = posted;
    expect(one).toMatchObject({ method: "POST", url: "/events?key=hunter2" });
    expect(JSON.parse(one?.body ?? "")).toEqual(test.folder.events.at(-1));
    const { detail } = JSON.parse(one?.body ?? "");
    expect(one?.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-survey-poller": "response.completed",
      "webhook-id": detail.meta.eventId,
    });
    const at = String(one?.headers["webhook-timestamp"]);
    expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(60);
    const signed = createHmac("sha256", KEY).update(`${detail.meta.eventId}.${at}.${one?.body}`).digest("base64");
    expect(one?.headers["webhook-signature"]).toBe(`v1,${signed}`);
    expect(ran.stdout + ran.stderr).not.toMatch(/whsec_|hunter2|customer-1042/);
    expect([test.folder.rules(), await test.folder.queues()]).toEqual([[], []]);
  });

  it("is a line of JSON with --json; a fresh secret, where none is given, is talk and not data", async () => {
    const ran = await listen([200], ["--json"]);
    const secret = /whsec_([\w+/=]+)/.exec(ran.stderr)?.[1] ?? "";
    const { body = "", headers = {} } = posted[0] ?? {};
    const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const signed = createHmac("sha256", Buffer.from(secret, "base64")).update(content).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
    expect(ran.stdout).not.toContain("whsec_");
    const answer = { status: 200, outcome: "taken", responseId: 46375, problem: null };
    expect(answerOf<ListenAnswer>(ran)).toMatchObject(answer);
  });

  it("is posted once, and it is said what a deployed webhook would do: exit code 1 where one was not taken", async () => {
    const ran = await listen([500, 302, 0, 200], ["--secret", "WEBHOOK_SECRET"]);

    expect(
      ran.stdout
        .replaceAll(/^\S+ | in \d+ ms/gm, "")
        .trimEnd()
        .split("\n"),
    ).toEqual([
      "response.completed 46375 → 500  a deployed webhook would try again",
      "response.completed 46375 → 302  a deployed webhook would give up: to the dead-letter queue",
      "response.completed 46375 → no answer (UND_ERR_SOCKET)  a deployed webhook would try again",
      "response.completed 46375 → 200",
    ]);
    expect(posted).toHaveLength(4);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("the consumer did not take 3 of 4 events");
  });
});

it("another machine is allowed where that is said", async () => {
  const ran = await survey(["listen", "--data", "/nowhere", "--forward-to", "https://example.com/", "--allow-remote"]);
  expect(ran).toMatchObject({ code: 1 });
  expect(ran.stderr).toContain("there is no state in /nowhere");
});
