import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { paginateScan } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import type { EmbeddedAws } from "../../../../lib/local/aws/index.ts";
import { readTold, temporaryFolder } from "../../../support/command.ts";
import { clientsOf, createQueue, createTable, entry, takeNumbers } from "./support.ts";

/** The embedded AWS in a child process, on folders that outlive it. */
async function startChild(folder: string) {
  const eventsFile = join(folder, "events.jsonl");
  const child = spawn(process.execPath, [join(import.meta.dirname, "child.ts"), join(folder, "data"), eventsFile], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const aws: Pick<EmbeddedAws, "endpoint" | "credentials"> = JSON.parse(line);
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { ...clientsOf(aws), events: () => (existsSync(eventsFile) ? readTold(eventsFile) : []), kill };
}

test("a kill -9 in the middle of traffic loses nothing that any service has acknowledged", async () => {
  const folder = temporaryFolder();
  const first = await startChild(folder);
  await createTable(first.dynamodb);
  const { arn } = await createQueue(first.sqs);
  await first.s3.createBucket({ Bucket: "bucket" });
  await first.eventbridge.putRule({ Name: "rule", EventPattern: '{"source":["survey-poller"]}' });
  await first.eventbridge.putTargets({ Rule: "rule", Targets: [{ Id: "1", Arn: arn }] });
  await first.secretsmanager.createSecret({ Name: "secret", SecretString: "old" });

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
  await first.s3.putObject({ Bucket: "bucket", Key: "key", Body: "object" });
  await first.secretsmanager.putSecretValue({ SecretId: "secret", SecretString: "new" });
  await first.kill();
  killed = true;
  await Promise.all(workers);

  const second = await startChild(folder);
  const object = await second.s3.getObject({ Bucket: "bucket", Key: "key" });
  const secret = await second.secretsmanager.getSecretValue({ SecretId: "secret" });
  expect([await object.Body?.transformToString(), secret.SecretString]).toEqual(["object", "new"]);
  const sunk = new Set(second.events().map(({ detail }) => detail.n));
  expect([...acknowledged.events].filter((n) => !sunk.has(n))).toEqual([]);
  const missing = new Set(acknowledged.items);
  const pages = paginateScan({ client: second.dynamodb }, { TableName: "table" });
  for await (const { Items = [] } of pages) for (const { pk } of Items) missing.delete(pk?.S ?? "");
  expect([...missing]).toEqual([]);
  const { url } = await createQueue(second.sqs);
  const delivered = new Set(await takeNumbers(second.sqs, url, acknowledged.events.size));
  expect([...acknowledged.events].filter((n) => !delivered.has(n))).toEqual([]);
});
