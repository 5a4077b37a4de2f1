import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { EmbeddedAws, EventEnvelope } from "../../../../lib/local/aws/index.ts";
import { clientsOf, createQueue, createTable, entry, scratchFolder, takeMessages, takeNumbers } from "./support.ts";

/** The embedded AWS in a child process, on folders that outlive it. */
async function startChild(folder: string) {
  const eventsFile = join(folder, "events.jsonl");
  const child = spawn(process.execPath, [join(import.meta.dirname, "child.ts"), join(folder, "data"), eventsFile], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const aws: Pick<EmbeddedAws, "endpoint" | "credentials"> = JSON.parse(line);
  const events = (): EventEnvelope[] =>
    existsSync(eventsFile)
      ? readFileSync(eventsFile, "utf8")
          .split("\n")
          .filter((text) => text !== "")
          .map((text) => JSON.parse(text))
      : [];
  return { ...clientsOf(aws), events, kill: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

test("what each service has acknowledged is there after a kill -9", async () => {
  const folder = scratchFolder();
  const first = await startChild(folder);
  await createTable(first.dynamodb);
  const queue = await createQueue(first.sqs);
  await first.s3.createBucket({ Bucket: "bucket" });
  await first.eventbridge.putRule({ Name: "rule", EventPattern: '{"source":["survey-poller"]}' });
  const Targets = [{ Id: "1", Arn: queue.arn }];
  await first.eventbridge.putTargets({ Rule: "rule", Targets });
  await first.secretsmanager.createSecret({ Name: "secret", SecretString: "old" });
  await Promise.all([
    first.dynamodb.putItem({ TableName: "table", Item: { pk: { S: "1" }, n: { N: "7" } } }),
    first.sqs.sendMessage({ QueueUrl: queue.url, MessageBody: "message" }),
    first.s3.putObject({ Bucket: "bucket", Key: "key", Body: "object" }),
    first.secretsmanager.putSecretValue({ SecretId: "secret", SecretString: "new" }),
    first.eventbridge.putEvents({ Entries: [entry()] }),
  ]);
  await first.kill();

  const second = await startChild(folder);
  const { Item } = await second.dynamodb.getItem({ TableName: "table", Key: { pk: { S: "1" } } });
  const object = await second.s3.getObject({ Bucket: "bucket", Key: "key" });
  const secret = await second.secretsmanager.getSecretValue({ SecretId: "secret" });
  const { url } = await createQueue(second.sqs);
  expect(Item).toEqual({ pk: { S: "1" }, n: { N: "7" } });
  expect(await object.Body?.transformToString()).toBe("object");
  expect(secret.SecretString).toBe("new");
  expect((await takeMessages(second.sqs, url, 2)).sort()).toEqual([
    "message",
    expect.stringContaining('"detail":{"n":1}'),
  ]);
  expect(second.events().map(({ detail }) => detail)).toEqual([{ n: 1 }]);
});

test("a kill -9 in the middle of traffic loses nothing that was acknowledged", async () => {
  const folder = scratchFolder();
  const first = await startChild(folder);
  await createTable(first.dynamodb);
  const { arn } = await createQueue(first.sqs);
  await first.eventbridge.putRule({ Name: "rule", EventPattern: '{"source":["survey-poller"]}' });
  const Targets = [{ Id: "1", Arn: arn }];
  await first.eventbridge.putTargets({ Rule: "rule", Targets });

  const acknowledged = { events: new Set<number>(), items: new Set<string>() };
  let killed = false;
  async function traffic(worker: number): Promise<void> {
    for (let round = 0; !killed; round++) {
      const numbers = Array.from({ length: 10 }, (_, index) => worker * 1_000_000 + round * 10 + index);
      const Entries = numbers.map((n) => entry({ Detail: `{"n":${n}}` }));
      const pk = `${worker}-${round}`;
      await Promise.all([
        first.eventbridge.putEvents({ Entries }).then(() => {
          for (const n of numbers) acknowledged.events.add(n);
        }),
        first.dynamodb.putItem({ TableName: "table", Item: { pk: { S: pk } } }).then(() => {
          acknowledged.items.add(pk);
        }),
      ]).catch(() => undefined);
    }
  }
  const workers = [0, 1, 2].map(traffic);
  while (acknowledged.events.size < 300) await new Promise((resolve) => setImmediate(resolve));
  await first.kill();
  killed = true;
  await Promise.all(workers);

  const second = await startChild(folder);
  const sunk = new Set(second.events().map(({ detail }) => detail.n));
  expect([...acknowledged.events].filter((n) => !sunk.has(n))).toEqual([]);
  expect(await missingItems(second, acknowledged.items)).toEqual([]);
  const { url } = await createQueue(second.sqs);
  const delivered = new Set(await takeNumbers(second.sqs, url, acknowledged.events.size));
  expect([...acknowledged.events].filter((n) => !delivered.has(n))).toEqual([]);
});

async function missingItems({ dynamodb }: Pick<ReturnType<typeof clientsOf>, "dynamodb">, keys: Set<string>) {
  const missing = new Set(keys);
  const all = [...keys];
  for (let from = 0; from < all.length; from += 100) {
    const Keys = all.slice(from, from + 100).map((pk) => ({ pk: { S: pk } }));
    const { Responses } = await dynamodb.batchGetItem({ RequestItems: { table: { Keys } } });
    for (const { pk } of Responses?.table ?? []) missing.delete(pk?.S ?? "");
  }
  return [...missing];
}
