import { BatchGetItemCommand, BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { CreateBucketCommand, DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { SendMessageBatchCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { createQueue, createTable, entry, errorName, startForTest, takeMessages } from "./support.ts";

test("PutEvents fails for some entries, at their own indexes, and does the rest", async () => {
  const { aws, eventbridge, events } = await startForTest();
  aws.faults.add({ service: "eventbridge", operation: "PutEvents", kind: "partial" });
  const Entries = Array.from({ length: 10 }, (_, n) => entry({ Detail: `{"n":${n}}` }));
  const codes = new Set<string | undefined>();
  for (let round = 0; round < 10; round++) {
    events.length = 0;
    const answer = await eventbridge.send(new PutEventsCommand({ Entries }));
    const results = answer.Entries ?? [];
    const done = results.flatMap(({ EventId }, n) => (EventId === undefined ? [] : [{ n, EventId }]));

    expect(results).toHaveLength(10);
    expect(answer.FailedEntryCount).toBe(10 - done.length);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThan(10);
    expect(events.map(({ id, detail }) => ({ n: detail.n, EventId: id }))).toEqual(done);
    for (const { ErrorCode } of results) codes.add(ErrorCode);
  }
  expect([...codes].sort()).toEqual(["InternalFailure", "ThrottlingException", undefined]);
});

test("a single entry fails as a whole", async () => {
  const { aws, eventbridge, events } = await startForTest();
  aws.faults.add({ service: "eventbridge", kind: "partial", times: 1 });
  const { FailedEntryCount } = await eventbridge.send(new PutEventsCommand({ Entries: [entry()] }));
  expect(FailedEntryCount).toBe(1);
  expect(events).toEqual([]);
});

test("DynamoDB leaves part of a batch unprocessed, and repeating that part completes it", async () => {
  const { aws, dynamodb } = await startForTest();
  await createTable(dynamodb);
  const keys = Array.from({ length: 25 }, (_, n) => ({ pk: { S: String(n) } }));
  const partial = aws.faults.add({ service: "dynamodb", kind: "partial", times: 2 });

  const written = await dynamodb.send(
    new BatchWriteItemCommand({ RequestItems: { table: keys.map((Item) => ({ PutRequest: { Item } })) } }),
  );
  const left = written.UnprocessedItems?.table ?? [];
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(25);
  const read = await dynamodb.send(
    new BatchGetItemCommand({ RequestItems: { table: { Keys: keys, ConsistentRead: true } } }),
  );
  const unread = read.UnprocessedKeys?.table;
  expect(unread?.Keys?.length).toBeGreaterThan(0);
  expect(unread?.ConsistentRead).toBe(true);

  await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { table: left } }));
  const rest = await dynamodb.send(new BatchGetItemCommand({ RequestItems: { table: { Keys: keys } } }));
  expect(rest.Responses?.table).toHaveLength(25);
  expect(rest.UnprocessedKeys).toEqual({});
  expect(partial.hits()).toBe(2);
});

test("DynamoDB refuses a batch of one as a whole", async () => {
  const { aws, dynamodb } = await startForTest();
  await createTable(dynamodb);
  aws.faults.add({ service: "dynamodb", kind: "partial", times: 1 });
  const get = dynamodb.send(new BatchGetItemCommand({ RequestItems: { table: { Keys: [{ pk: { S: "1" } }] } } }));
  expect(await errorName(get)).toBe("ProvisionedThroughputExceededException");
});

test("SQS takes part of a batch", async () => {
  const { aws, sqs } = await startForTest();
  const { url } = await createQueue(sqs);
  aws.faults.add({ service: "sqs", operation: "SendMessageBatch", kind: "partial", times: 1 });
  const Entries = Array.from({ length: 10 }, (_, n) => ({ Id: `e${n}`, MessageBody: String(n) }));
  const { Successful = [], Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
  expect(Failed.length).toBeGreaterThan(0);
  expect([...Successful, ...Failed].map(({ Id }) => Id).sort()).toEqual(Entries.map(({ Id }) => Id));
  const bodies = await takeMessages(sqs, url, Successful.length);
  expect(bodies.map((body) => `e${body}`)).toEqual(Successful.map(({ Id }) => Id));
});

test("S3 deletes part of the objects", async () => {
  const { aws, s3 } = await startForTest();
  await s3.send(new CreateBucketCommand({ Bucket: "bucket" }));
  const keys = ["a & b", "c/d", "e", "f", "g"];
  for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket: "bucket", Key, Body: "1" }));
  aws.faults.add({ service: "s3", kind: "partial", times: 1 });
  const { Deleted = [], Errors = [] } = await s3.send(
    new DeleteObjectsCommand({ Bucket: "bucket", Delete: { Objects: keys.map((Key) => ({ Key })) } }),
  );
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: "bucket" }));
  expect(Errors.length).toBeGreaterThan(0);
  expect([...Deleted, ...Errors].map(({ Key }) => Key).sort()).toEqual([...keys].sort());
  expect(Contents.map(({ Key }) => Key)).toEqual(Errors.map(({ Key }) => Key));
});
