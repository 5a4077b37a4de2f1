import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type QueueAttributeName,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type EmbeddedAws, startEmbeddedAws } from "../../../local/aws/index.ts";
import { type PollSurveyHandler, runQueue } from "../../../local/runner/queue-loop.ts";

const dataDir = mkdtempSync(join(tmpdir(), "survey-poller-queue-"));
let aws: EmbeddedAws;
let client: SQSClient;
let queues = 0;

beforeAll(async () => {
  aws = await startEmbeddedAws({ dataDir });
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value);
  client = new SQSClient();
});
afterAll(async () => {
  client.destroy();
  await aws.close();
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

async function newQueue(bodies: string[] = []): Promise<string> {
  queues += 1;
  const { QueueUrl: url = "" } = await client.send(new CreateQueueCommand({ QueueName: `queue-${queues}` }));
  for (const body of bodies) await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));
  return url;
}

/** Messages that wait, and those that somebody has taken and not deleted. */
async function counts(url: string): Promise<number[]> {
  const names: QueueAttributeName[] = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"];
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: names }),
  );
  return names.map((name) => Number(Attributes[name]));
}

const done = { batchItemFailures: [] };

/** A worker that notes what it was handed, and resolves `all` once it was handed so many. */
function noting(most: number, answer: (body: string, messageId: string) => ReturnType<PollSurveyHandler>) {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const bodies: string[] = [];
  const handler: PollSurveyHandler = async ({ Records }) => {
    const [{ messageId, body } = { messageId: "", body: "" }] = Records;
    bodies.push(body);
    if (bodies.length === most) resolve();
    return answer(body, messageId);
  };
  return { handler, bodies, all };
}

describe("the work queue on one machine", () => {
  it("hands each message to the worker once, and deletes what was done", async () => {
    const queueUrl = await newQueue(["a", "b", "c"]);
    const { handler, bodies, all } = noting(3, async () => done);
    const queue = runQueue({ handler, queueUrl, concurrency: 2, say: () => {} });
    await all;
    await queue.stop();
    expect(bodies.toSorted()).toEqual(["a", "b", "c"]);
    expect(await counts(queueUrl)).toEqual([0, 0]);
  });

  it("keeps a failed message out of sight for a while, and does not lose it", async () => {
    const queueUrl = await newQueue(["broken"]);
    const { handler, all } = noting(1, async (_, messageId) => ({
      batchItemFailures: [{ itemIdentifier: messageId }],
    }));
    const queue = runQueue({ handler, queueUrl, concurrency: 1, say: () => {} });
    await all;
    await queue.stop();
    expect(await counts(queueUrl)).toEqual([0, 1]);
  });

  it("works off as many at the same time as it may, and no more", async () => {
    const queueUrl = await newQueue(["a", "b", "c"]);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    let most = 0;
    let running = 0;
    const { promise: two, resolve: reached } = Promise.withResolvers<void>();
    const { handler, all } = noting(3, async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) reached();
      await release;
      running -= 1;
      return done;
    });
    const queue = runQueue({ handler, queueUrl, concurrency: 2, say: () => {} });
    await two;
    expect(queue.running()).toBe(2);
    resolve();
    await all;
    await queue.stop();
    expect(most).toBe(2);
    expect(queue.running()).toBe(0);
  });

  it("ends only when the invocation under way is over", async () => {
    const queueUrl = await newQueue(["a"]);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const { handler, all } = noting(1, async () => {
      await release;
      return done;
    });
    const queue = runQueue({ handler, queueUrl, concurrency: 1, say: () => {} });
    await all;
    let isOver = false;
    const stopped = queue.stop().then(() => {
      isOver = true;
    });
    await counts(queueUrl);
    expect(isOver).toBe(false);
    resolve();
    await stopped;
    expect(await counts(queueUrl)).toEqual([0, 0]);
  });

  it("tells of a worker that throws, and goes on with the next message", async () => {
    const queueUrl = await newQueue(["broken", "well"]);
    const said: string[] = [];
    const { handler, all } = noting(2, async (body) => {
      if (body === "broken") throw Object.assign(new Error("jane@example.com"), { code: "ODD" });
      return done;
    });
    const queue = runQueue({ handler, queueUrl, concurrency: 1, say: (line) => void said.push(line) });
    await all;
    await queue.stop();
    expect(said).toEqual(["the work queue: ODD; tried again"]);
  });
});
