import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { createTable, startForTest } from "./support.ts";

const SECRET = "hunter2-of-the-client";

/** For each service what a stranger would ask for: something to read, to remove or to forge. */
const ATTACKS = {
  dynamodb: ["POST", "/", "DynamoDB_20120810.DeleteTable", { TableName: "table" }],
  eventbridge: [
    "POST",
    "/",
    "AWSEvents.PutEvents",
    { Entries: [{ Source: "survey-poller", DetailType: "response.completed", Detail: "{}" }] },
  ],
  secretsmanager: ["POST", "/", "secretsmanager.GetSecretValue", { SecretId: "credentials" }],
  s3: ["GET", "/", undefined, undefined],
  sqs: ["POST", "/", "AmazonSQS.CreateQueue", { QueueName: "queue" }],
} as const;

type Services = Awaited<ReturnType<typeof startForTest>>;

async function startFull(): Promise<Services> {
  const started = await startForTest();
  await createTable(started.dynamodb);
  await started.secretsmanager.createSecret({ Name: "credentials", SecretString: SECRET });
  return started;
}

const signedWith = (key: string): string =>
  `AWS4-HMAC-SHA256 Credential=${key}/20260310/us-east-1/x/aws4_request, SignedHeaders=host, Signature=0`;

/** What a service answers to its attack, which comes with these headers. */
async function attack({ aws }: Services, service: keyof typeof ATTACKS, headers: Record<string, string>) {
  const [method, path, target, body] = ATTACKS[service];
  const sent = request(new URL(path, aws.endpoint), {
    method,
    headers: {
      "x-amz-date": "20260310T120000Z",
      ...(target === undefined ? {} : { "content-type": "application/x-amz-json-1.0", "x-amz-target": target }),
      ...headers,
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<import("node:http").IncomingMessage>();
  sent.once("response", resolve).once("error", reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const answer = await promise;
  const cors = Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));
  return { status: answer.statusCode, cors, body: await text(answer) };
}

const services = Object.keys(ATTACKS) as (keyof typeof ATTACKS)[];

it("lets in the run's own clients, and nobody else", async () => {
  const started = await startFull();
  const { endpoint, credentials } = started.aws;
  const { port } = new URL(endpoint);
  const authorization = signedWith(credentials.accessKeyId);
  const { length } = credentials.accessKeyId;
  const strangers: [string, Record<string, string>][] = [
    ["a web page", { authorization, origin: "https://elsewhere.example" }],
    ["a web page that shows nothing of itself", { authorization, origin: "null" }],
    ["a name that leads here", { authorization, host: `elsewhere.example:${port}` }],
    ["another port", { authorization, host: "127.0.0.1:1" }],
    ["no access key", {}],
    ["a guessed one", { authorization: signedWith("local") }],
    ["one as long", { authorization: signedWith("x".repeat(length)) }],
    ["one as long, of other bytes", { authorization: signedWith("é".repeat(length)) }],
  ];
  for (const service of services) {
    for (const [who, headers] of strangers) {
      const { status, cors, body } = await attack(started, service, headers);
      expect({ status, cors }, who).toEqual({ status: 403, cors: [] });
      expect(body, who).toContain("UnrecognizedClientException");
      expect(body, who).not.toContain(SECRET);
    }
  }
  // Nothing has been done.
  expect(started.events).toEqual([]);
  expect((await started.dynamodb.listTables({})).TableNames).toEqual(["table"]);
  expect((await started.sqs.listQueues({})).QueueUrls ?? []).toEqual([]);
  const { SecretString } = await started.secretsmanager.getSecretValue({ SecretId: "credentials" });
  expect(SecretString).toBe(SECRET);

  for (const service of services)
    expect(await attack(started, service, { authorization }), service).toMatchObject({ status: 200, cors: [] });
});

it("has another access key at each start", async () => {
  const first = await startForTest();
  const second = await startForTest();
  expect(first.aws.credentials.accessKeyId).not.toBe(second.aws.credentials.accessKeyId);
});
