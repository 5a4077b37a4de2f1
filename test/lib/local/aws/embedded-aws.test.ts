import { once } from "node:events";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { EventBridge } from "@aws-sdk/client-eventbridge";
import { S3 } from "@aws-sdk/client-s3";
import { SecretsManager } from "@aws-sdk/client-secrets-manager";
import { SQS } from "@aws-sdk/client-sqs";
import { expect, onTestFinished, test, vi } from "vitest";
import { DataFolderInUseError, startEmbeddedAws } from "../../../../lib/local/aws/index.ts";
import { temporaryFolder } from "../../../support/command.ts";
import { createQueue, createTable, entry, errorName, startForTest } from "./support.ts";

test("SDK clients without any setting of their own work by the environment alone", async () => {
  const { aws } = await startForTest();
  onTestFinished(() => void vi.unstubAllEnvs());
  // What a developer may have lying about; none of it may have a say.
  for (const name of ["AWS_PROFILE", "AWS_SESSION_TOKEN"]) vi.stubEnv(name, "production");
  for (const name of ["AWS_USE_FIPS_ENDPOINT", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"]) vi.stubEnv(name, "true");
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value);
  const [s3, sqs] = [new S3(), new SQS()];

  await new DynamoDB().listTables({});
  await new EventBridge().putEvents({ Entries: [entry()] });
  await new SecretsManager().createSecret({ Name: "s" });
  const { QueueUrl } = await sqs.createQueue({ QueueName: "queue" });
  await sqs.sendMessage({ QueueUrl, MessageBody: "m" });
  await s3.createBucket({ Bucket: "some-bucket" });
  await s3.putObject({ Bucket: "some-bucket", Key: "a/ż b.json", Body: "{}" });
  const { Body } = await s3.getObject({ Bucket: "some-bucket", Key: "a/ż b.json" });

  expect(await Body?.transformToString()).toBe("{}");
  expect(QueueUrl).toBe(`${aws.endpoint}/000000000000/queue`);
});

test("nothing listens beyond 127.0.0.1", async () => {
  const { aws } = await startForTest();
  const { hostname, port } = new URL(aws.endpoint);
  expect(hostname).toBe("127.0.0.1");
  await expect(once(connect(Number(port), "127.0.0.2"), "connect")).rejects.toThrow();
});

test("the data folder is made for its owner alone, and in a folder of others its parts are", async () => {
  const dataDir = join(temporaryFolder(), "new");
  await startForTest({ dataDir });
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);

  const shared = join(temporaryFolder(), "shared");
  mkdirSync(shared);
  chmodSync(shared, 0o755);
  await startForTest({ dataDir: shared });
  expect(statSync(shared).mode & 0o777).toBe(0o755);
  for (const part of ["dynamodb", "event-bridge", "queues-and-buckets", "secrets"]) {
    expect(statSync(join(shared, part)).mode & 0o777).toBe(0o700);
  }
});

test("a data folder is used by one at a time", async () => {
  const { aws, dataDir } = await startForTest();
  await expect(startEmbeddedAws({ dataDir })).rejects.toThrow(DataFolderInUseError);
  await aws.close();
  await startForTest({ dataDir });
});

test("queue URLs lead to the running service after a restart", async () => {
  const first = await startForTest();
  await createQueue(first.sqs);
  await first.aws.close();

  const { aws, sqs } = await startForTest({ dataDir: first.dataDir });
  const { QueueUrl } = await sqs.getQueueUrl({ QueueName: "queue" });
  expect(QueueUrl).toBe(`${aws.endpoint}/000000000000/queue`);
});

test("a message that is given back is there at once, with its receive count, also after a restart", async () => {
  const first = await startForTest();
  const { url } = await createQueue(first.sqs);
  await first.sqs.sendMessage({ QueueUrl: url, MessageBody: "m" });
  const receive = async ({ sqs }: Pick<typeof first, "sqs">) => {
    const { Messages } = await sqs.receiveMessage({
      QueueUrl: url,
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    });
    const [message] = Messages ?? [];
    const VisibilityTimeout = 0;
    await sqs.changeMessageVisibility({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout });
    return message?.Attributes?.ApproximateReceiveCount;
  };
  expect([await receive(first), await receive(first)]).toEqual(["1", "2"]);
  await first.aws.close();
  expect(await receive(await startForTest({ dataDir: first.dataDir }))).toBe("3");
});

test("a client that breaks off while it is sending harms nobody", async () => {
  const started = await startForTest();
  await createTable(started.dynamodb);
  const { host, port } = new URL(started.aws.endpoint);
  for (const target of ["DynamoDB_20120810.X", "AWSEvents.X", "secretsmanager.X", "AmazonSQS.X", "X.Y"]) {
    const socket = connect(Number(port), "127.0.0.1");
    const authorization = `Authorization: AWS4-HMAC-SHA256 Credential=${started.aws.credentials.accessKeyId}/`;
    const head = ["POST / HTTP/1.1", `Host: ${host}`, authorization, `X-Amz-Target: ${target}`];
    head.push("Content-Type: application/x-amz-json-1.0");
    socket.write(`${[...head, "Content-Length: 100"].join("\r\n")}\r\n\r\n{"half"`);
    await once(socket, "connect");
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await once(socket, "close");
  }
  expect(await errorName(started.dynamodb.listTables({}))).toBe("no error");
  expect(await errorName(started.eventbridge.putEvents({ Entries: [entry()] }))).toBe("no error");
});

test("an operation that is not offered is refused by name", async () => {
  const { aws } = await startForTest();
  const authorization = `AWS4-HMAC-SHA256 Credential=${aws.credentials.accessKeyId}/`;
  const response = await fetch(aws.endpoint, {
    method: "POST",
    headers: { authorization, "x-amz-target": "AWSEvents.constructor" },
    body: "{}",
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ __type: "UnknownOperationException" });
});
