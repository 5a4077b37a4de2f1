import type { SQSRecord } from "aws-lambda";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import {
  type DeliveryReport,
  type Forwarding,
  forwardBatch,
  type GivenUp,
} from "../../../lib/webhooks/forward-batch.ts";
import { WebhookSecretError, type WebhookSecrets } from "../../../lib/webhooks/webhook-secrets.ts";
import { headersOf, secretOf, useEndpoint } from "./support/endpoint.ts";

const secret = secretOf(1);
const proof = { signWith: [secret], headers: { "x-api-key": "hunter2" } };
const NOW = Date.now();
const MINUTE = 60_000;

const endpoint = useEndpoint();

/** A message of the queue: an event, so many times received, first so many milliseconds ago. */
function message(id: string, { receives = 1, triedFor = 0, waited = 0 } = {}): SQSRecord {
  const event = { id: `bus-${id}`, "detail-type": "response.completed", detail: { meta: { eventId: id }, data: {} } };
  return {
    messageId: `message-${id}`,
    receiptHandle: `handle-${id}`,
    body: JSON.stringify(event),
    attributes: {
      ApproximateReceiveCount: `${receives}`,
      SentTimestamp: `${NOW - waited - triedFor}`,
      ApproximateFirstReceiveTimestamp: `${NOW - triedFor}`,
      SenderId: "events",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:queue",
    awsRegion: "us-east-1",
  };
}

type Changes = Partial<Omit<Forwarding, "endpoint"> & { secrets: Partial<WebhookSecrets> }>;

/** What a batch comes to, with the queue and the clock of a test. */
async function forward(records: SQSRecord[], { secrets, ...changes }: Changes = {}) {
  const hidden: [string, number][] = [];
  const dead: [string, GivenUp][] = [];
  const slept: number[] = [];
  const reports: DeliveryReport[] = [];
  const troubles: unknown[] = [];
  const patiences: number[] = [];
  const again = await forwardBatch(records, {
    webhook: { name: "crm", ratePerSecond: 10, retry: { maxAge: 60 * MINUTE, attempts: 3 } },
    endpoint: {
      url: endpoint.url,
      secrets: { current: async () => proof, refused: () => undefined, ...secrets },
      answers: { bucket: "answers", presign: async () => "https://signed.example.com" },
      now: () => NOW,
      deadline(milliseconds) {
        patiences.push(milliseconds);
        return new AbortController().signal;
      },
    },
    hide: async (handle, seconds) => void hidden.push([handle, seconds]),
    giveUp: async (body, why) => void dead.push([body, why]),
    remaining: () => 40_000,
    sleep: async (milliseconds) => void slept.push(milliseconds),
    random: () => 0.5,
    report: (delivery) => reports.push(delivery),
    trouble: (error) => troubles.push(error),
    ...changes,
  });
  return { again, hidden, dead, slept, reports, troubles, patiences };
}

const refuse = (status: number, headers = {}) => {
  endpoint.answer = (_posted, response) => response.writeHead(status, headers).end("no");
};

describe("a message", () => {
  it("is delivered, signed, under the id of the event", async () => {
    const { again, reports } = await forward([message("e-1", { waited: 5_000 })]);

    expect(again).toEqual([]);
    const [one] = endpoint.posted;
    if (one === undefined) throw new Error("nothing was posted");
    expect(one.headers["webhook-id"]).toBe("e-1");
    expect(new Webhook(secret).verify(one.body, headersOf(one))).toMatchObject({ id: "bus-e-1" });
    expect(reports).toMatchObject([{ webhook: "crm", eventId: "e-1", outcome: "taken", status: 204, age: 5_000 }]);
  });

  it("that is no event of the poller is delivered under the id of the message, and harms nobody", async () => {
    const odd = { ...message("e-1"), body: '{"detail":{"meta":{"eventId":"a\\nb"}}}' };
    expect((await forward([odd])).again).toEqual([]);
    expect(endpoint.posted[0]?.headers["webhook-id"]).toBe("message-e-1");
  });

  it("that is refused for now comes again after a growing wait, under the same id", async () => {
    refuse(503);
    const { again, hidden, dead, reports } = await forward([message("e-1"), message("e-2", { receives: 3 })]);
    expect(again).toEqual(["message-e-1", "message-e-2"]);
    expect(hidden.sort()).toEqual([
      ["handle-e-1", 5],
      ["handle-e-2", 20],
    ]);
    expect(dead).toEqual([]);
    expect(reports.map(({ outcome, nextInSeconds }) => [outcome, nextInSeconds])).toEqual([
      ["retried", 5],
      ["retried", 20],
    ]);
  });

  it("waits as long as the endpoint asks for", async () => {
    refuse(429, { "retry-after": "90" });
    expect((await forward([message("e-1")])).hidden).toEqual([["handle-e-1", 90]]);
  });

  it("that is refused for good goes to the dead-letter queue at once, with the reason", async () => {
    refuse(410);
    const one = message("e-1");
    const { again, dead, reports } = await forward([one]);
    expect(again).toEqual([]);
    const why = { code: "ENDPOINT_REFUSED", message: "the endpoint answered 410", attempts: 1 };
    expect(dead).toEqual([[one.body, why]]);
    expect(reports).toMatchObject([{ outcome: "given-up", status: 410 }]);
  });

  it.each([
    ["has been tried so often", { receives: 4 }],
    ["has been tried for so long", { receives: 2, triedFor: 60 * MINUTE - 9_000 }],
  ])("that %s as the configuration says goes there too", async (_why, made) => {
    refuse(503);
    const { again, dead } = await forward([message("e-1", made)]);
    expect(again).toEqual([]);
    expect(dead[0]?.[1]).toMatchObject({ code: "ENDPOINT_FAILED", message: "the endpoint answered 503" });
  });

  it("that has waited for days for its turn is tried for as long as any other one", async () => {
    refuse(503);
    const { again } = await forward([message("e-1", { waited: 3 * 24 * 60 * MINUTE })]);
    expect(again).toEqual(["message-e-1"]);
  });

  it("comes again where the dead-letter queue does not take it, or its wait cannot be said", async () => {
    refuse(404);
    const giveUp = () => Promise.reject(new Error("no"));
    expect((await forward([message("e-1")], { giveUp })).again).toEqual(["message-e-1"]);
    refuse(503);
    const { again, troubles } = await forward([message("e-1")], { hide: giveUp });
    expect(again).toEqual(["message-e-1"]);
    expect(troubles).toHaveLength(1);
  });
});

describe("a batch", () => {
  it("fails in parts: what was taken does not come again", async () => {
    endpoint.answer = ({ body }, response) => response.writeHead(body.includes('"e-2"') ? 500 : 200).end();
    const { again } = await forward([message("e-1"), message("e-2"), message("e-3")]);
    expect(again).toEqual(["message-e-2"]);
  });

  it("is begun at the pace of the webhook, and lasts until the next one may begin", async () => {
    const { slept } = await forward([message("e-1"), message("e-2"), message("e-3")]);
    expect(slept.sort((a, b) => a - b)).toEqual([200, 400, 600]);
  });

  it("gives the endpoint 30 s, and less where the invocation has no more", async () => {
    expect((await forward([message("e-1")])).patiences).toEqual([30_000]);
    expect((await forward([message("e-1")], { remaining: () => 20_000 })).patiences).toEqual([16_000]);
  });
});

describe("without a secret", () => {
  it("nothing is posted; all of it is tried again, and told once", async () => {
    const missing = new WebhookSecretError("SIGNING_SECRET_MISSING", "the signing secret crm has no value yet", {});
    const { again, troubles, reports } = await forward([message("e-1"), message("e-2")], {
      secrets: { current: () => Promise.reject(missing) },
    });
    expect(endpoint.posted).toEqual([]);
    expect(again).toEqual(["message-e-1", "message-e-2"]);
    expect(troubles).toEqual([missing]);
    expect(reports.map(({ problem }) => problem)).toEqual(["SIGNING_SECRET_MISSING", "SIGNING_SECRET_MISSING"]);
  });

  it.each([
    [401, 1],
    [403, 1],
    [500, 0],
    [200, 0],
  ])("an answer %i makes it be read again: %i times", async (status, times) => {
    refuse(status);
    const refused = vi.fn();
    await forward([message("e-1")], { secrets: { refused } });
    expect(refused).toHaveBeenCalledTimes(times);
  });
});

it("what is reported holds nothing of the address, the secret or the event's contents", async () => {
  refuse(503);
  const { reports, dead } = await forward([message("e-1"), message("e-2", { receives: 9 })]);
  expect(JSON.stringify([reports, dead.map(([, why]) => why)])).not.toMatch(/hunter2|whsec_|127\.0\.0\.1|"no"/);
});
