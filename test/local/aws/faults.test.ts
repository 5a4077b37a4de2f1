import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { CreateSecretCommand, GetSecretValueCommand, ListSecretsCommand } from "@aws-sdk/client-secrets-manager";
import { GetQueueUrlCommand, ListQueuesCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, onTestFinished, test } from "vitest";
import { type AwsRequestEvent, awsRequestChannel } from "../../../local/aws/diagnostics.ts";
import type { EmbeddedAws, Service } from "../../../local/aws/index.ts";
import { clientsOf, createQueue, createTable, entry, errorName, startForTest, takeMessages } from "./support.ts";

type Started = Awaited<ReturnType<typeof startForTest>>;

/** A harmless request to each service, and the errors that service gives. */
const services: readonly {
  service: Service;
  throttle: string;
  error: string;
  call(clients: Started): Promise<unknown>;
}[] = [
  {
    service: "dynamodb",
    throttle: "ProvisionedThroughputExceededException",
    error: "InternalServerError",
    call: ({ dynamodb }) => dynamodb.send(new GetItemCommand({ TableName: "table", Key: { pk: { S: "1" } } })),
  },
  {
    service: "sqs",
    throttle: "RequestThrottled",
    error: "InternalFailure",
    call: ({ sqs }) => sqs.send(new ListQueuesCommand({})),
  },
  {
    service: "s3",
    throttle: "SlowDown",
    error: "InternalError",
    call: ({ s3 }) => s3.send(new ListObjectsV2Command({ Bucket: "bucket" })),
  },
  {
    service: "eventbridge",
    throttle: "ThrottlingException",
    error: "InternalException",
    call: ({ eventbridge }) => eventbridge.send(new PutEventsCommand({ Entries: [entry()] })),
  },
  {
    service: "secretsmanager",
    throttle: "ThrottlingException",
    error: "InternalServiceError",
    call: ({ secretsmanager }) => secretsmanager.send(new ListSecretsCommand({})),
  },
];

async function startWithResources(): Promise<Started> {
  const started = await startForTest();
  await createTable(started.dynamodb);
  await started.s3.send(new CreateBucketCommand({ Bucket: "bucket" }));
  return started;
}

describe.each(services)("$service", ({ service, throttle, error, call }) => {
  test("throttles and fails by its own errors, for as often as told", async () => {
    const started = await startWithResources();
    started.aws.faults.add({ service, kind: "throttle", times: 1 });
    const failing = started.aws.faults.add({ service, kind: "error", times: 2 });
    expect(await errorName(call(started))).toBe(throttle);
    expect(await errorName(call(started))).toBe(error);
    expect(await errorName(call(started))).toBe(error);
    expect(await errorName(call(started))).toBe("no error");
    expect(failing.hits()).toBe(2);
  });

  test("is down until the fault is cleared", async () => {
    const started = await startWithResources();
    started.aws.faults.add({ service, kind: "down" });
    await expect(call(started)).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(call(started)).rejects.toMatchObject({ code: "ECONNRESET" });
    started.aws.faults.clear();
    expect(await errorName(call(started))).toBe("no error");
  });

  test("answers late", async () => {
    const started = await startWithResources();
    started.aws.faults.add({ service, kind: "delay", delayMs: 30, times: 1 });
    const before = performance.now();
    await call(started);
    expect(performance.now() - before).toBeGreaterThan(28);
  });

  test("loses an answer, which the SDK's own retry then hides", async () => {
    const started = await startWithResources();
    started.aws.faults.add({ service, kind: "lose-answer", times: 2 });
    await expect(call(started)).rejects.toMatchObject({ code: "ECONNRESET" });
    const retrying = { ...started, ...clientsOf(started.aws, 3) };
    expect(await errorName(call(retrying))).toBe("no error");
  });
});

test("a fault lets pass what it is told to, and tells each request as it comes and goes", async () => {
  const { aws, eventbridge } = await startForTest();
  const seen: string[] = [];
  const note = (message: unknown): void => {
    const { operation, phase } = message as AwsRequestEvent;
    seen.push(`${operation} ${phase}`);
  };
  awsRequestChannel.subscribe(note);
  onTestFinished(() => void awsRequestChannel.unsubscribe(note));
  const fault = aws.faults.add({ service: "eventbridge", kind: "down", after: 2, times: 1 });
  const outcomes: string[] = [];
  for (let i = 0; i < 4; i += 1) {
    outcomes.push(await errorName(eventbridge.send(new PutEventsCommand({ Entries: [entry()] }))));
  }
  expect(outcomes).toEqual(["no error", "no error", "TimeoutError", "no error"]);
  expect(fault.hits()).toBe(1);
  const whole = ["PutEvents arrived", "PutEvents answered"];
  // What is down gives no answer.
  expect(seen).toEqual([...whole, ...whole, "PutEvents arrived", ...whole]);
  expect(() => aws.faults.add({ service: "s3", kind: "down", after: -1 })).toThrow(TypeError);
});

test("a fault meets the requests of its path alone", async () => {
  const { aws, s3 } = await startWithResources();
  const fault = aws.faults.add({ service: "s3", operation: "PutObject", kind: "error", path: "^/bucket/a/" });
  const put = (Key: string) => errorName(s3.send(new PutObjectCommand({ Bucket: "bucket", Key, Body: "1" })));
  expect([await put("b/a/1"), await put("a/1"), await put("a")]).toEqual(["no error", "InternalError", "no error"]);
  expect(fault.hits()).toBe(1);
});

test("the work behind a lost answer has been done", async () => {
  const started = await startWithResources();
  const { aws, dynamodb, sqs, s3, eventbridge, secretsmanager, events } = started;
  const { url } = await createQueue(sqs);
  for (const { service } of services) aws.faults.add({ service, kind: "lose-answer", times: 1 });
  const lost = await Promise.all([
    errorName(dynamodb.send(new PutItemCommand({ TableName: "table", Item: { pk: { S: "1" } } }))),
    errorName(sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: "1" }))),
    errorName(s3.send(new PutObjectCommand({ Bucket: "bucket", Key: "k", Body: "1" }))),
    errorName(eventbridge.send(new PutEventsCommand({ Entries: [entry()] }))),
    errorName(secretsmanager.send(new CreateSecretCommand({ Name: "s", SecretString: "1" }))),
  ]);

  // What the SDK calls a connection that was reset under a request.
  expect(lost).toEqual(Array.from({ length: 5 }, () => "TimeoutError"));
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: "table", Key: { pk: { S: "1" } } }));
  expect(Item).toEqual({ pk: { S: "1" } });
  expect(await takeMessages(sqs, url, 1)).toEqual(["1"]);
  const object = await s3.send(new GetObjectCommand({ Bucket: "bucket", Key: "k" }));
  expect(await object.Body?.transformToString()).toBe("1");
  expect(events).toHaveLength(1);
  expect((await secretsmanager.send(new GetSecretValueCommand({ SecretId: "s" }))).SecretString).toBe("1");
});

test("a request refused by a fault has done nothing", async () => {
  const { aws, eventbridge, events } = await startForTest();
  for (const kind of ["throttle", "error", "down"] as const) aws.faults.add({ service: "eventbridge", kind, times: 1 });
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await errorName(eventbridge.send(new PutEventsCommand({ Entries: [entry()] })))).not.toBe("no error");
  }
  expect(events).toEqual([]);
});

test("an answer to HEAD has no body under a fault either", async () => {
  const { aws, s3 } = await startWithResources();
  aws.faults.add({ service: "s3", kind: "throttle", times: 1 });
  const head = s3.send(new HeadBucketCommand({ Bucket: "bucket" }));
  await expect(head).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
});

test("a fault for one operation or service leaves the others alone", async () => {
  const started = await startWithResources();
  const { aws, sqs } = started;
  aws.faults.add({ service: "sqs", operation: "SendMessage", kind: "error" });
  for (const { call } of services) expect(await errorName(call(started))).toBe("no error");
  expect(await errorName(sqs.send(new GetQueueUrlCommand({ QueueName: "none" })))).toBe("QueueDoesNotExist");
});

test("probabilities are the same for the same seed", async () => {
  async function outcomes(seed: number): Promise<string> {
    const started = await startForTest({ seed });
    started.aws.faults.add({ service: "secretsmanager", kind: "throttle", probability: 0.5 });
    const marks: string[] = [];
    for (let request = 0; request < 40; request++) {
      marks.push((await errorName(started.secretsmanager.send(new ListSecretsCommand({})))) === "no error" ? "." : "x");
    }
    return marks.join("");
  }
  const one = await outcomes(7);
  expect(await outcomes(7)).toBe(one);
  expect(await outcomes(8)).not.toBe(one);
  expect(one).toMatch(/x.*\.|\..*x/);
});

test("a fault can be taken back", async () => {
  const started = await startForTest();
  const handle = started.aws.faults.add({ service: "secretsmanager", kind: "down" });
  handle.remove();
  expect(await errorName(started.secretsmanager.send(new ListSecretsCommand({})))).toBe("no error");
});

test.each<Parameters<EmbeddedAws["faults"]["add"]>[0]>([
  { service: "sqs", kind: "delay" },
  { service: "sqs", kind: "error", times: 0 },
  { service: "sqs", kind: "error", probability: 1.5 },
  { service: "secretsmanager", kind: "partial" },
  { service: "dynamodb", kind: "partial", operation: "GetItem" },
])("a fault that could never take place is refused: %j", async (fault) => {
  const { aws } = await startForTest();
  expect(() => aws.faults.add(fault)).toThrow(TypeError);
});
