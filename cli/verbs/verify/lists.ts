import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { errorCode } from "../../../lib/errors.ts";
import { CommandError, InterruptedError } from "../../errors.ts";
import { eventIdIn, eventIdsIn, type IdSet } from "../../event-ids.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { Target } from "../../target/target.ts";
import { momentOf } from "../../verb.ts";

/** The list of a consumer, as far as it was read: its ids are in the set that the reader was given. */
interface TakenList {
  /** Where they were read, for people. */
  from: string;
  /** When the list was taken (epoch milliseconds). */
  asOf: number;
  /** Lines, items or objects in which no event id stands. */
  unreadable: number;
}

/** The tools of every reader of a list. */
interface ListReader {
  ids: Pick<IdSet, "add">;
  signal: AbortSignal;
  now(): number;
  /** Called as it goes on. */
  tell(text: string): void;
}

function nothingRead(what: string, hint: string): CommandError {
  return new CommandError("NO_EVENT_IDS", `${what} holds no event id`, { hint });
}

export interface ListOptions {
  ids?: string | undefined;
  dynamodb?: string | undefined;
  s3?: string | undefined;
  s3Contents?: true | undefined;
  asOf?: string | undefined;
}

/**
 * Looks at what the flags say before anything is opened.
 *
 * @throws UsageError
 */
export function checkList({ ids, dynamodb, s3, s3Contents, asOf }: ListOptions): void {
  const hint = "Give one of --ids FILE, --dynamodb TABLE and --s3 PREFIX.";
  const given = [ids, dynamodb, s3].filter((one) => one !== undefined).length;
  if (given === 0) throw new UsageError("it is not said what the consumer has", { hint });
  if (given > 1) throw new UsageError("there is more than one list of the consumer", { hint });
  if (s3Contents === true && s3 === undefined) {
    throw new UsageError("--s3-contents belongs to --s3", { hint: "Add --s3 s3://BUCKET/PREFIX." });
  }
  if (dynamodb !== undefined) tableAndAttribute(dynamodb);
  if (s3 !== undefined) bucketAndPrefix(s3);
  if (asOf !== undefined) momentOf("--as-of", asOf);
}

/** Reads what the consumer has into the reader's set. */
export async function readList(
  target: Target,
  { ids, dynamodb, s3, s3Contents, asOf }: ListOptions,
  { input }: Pick<Io, "input">,
  reader: ListReader,
): Promise<TakenList> {
  const list =
    dynamodb !== undefined
      ? await readTableList(target, dynamodb, reader)
      : s3 !== undefined
        ? await readObjectList(target, s3, s3Contents === true, reader)
        : await readFileList(ids ?? "-", input, reader);
  return asOf === undefined ? list : { ...list, asOf: momentOf("--as-of", asOf) };
}

const TOLD_EVERY = 10_000;

/** Takes the ids of each line; gives how many lines hold none, but for the head of a table. */
async function takeLines(input: NodeJS.ReadableStream, { ids, signal, tell }: ListReader) {
  let lines = 0;
  let found = 0;
  let unreadable = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (signal.aborted) throw new InterruptedError();
    // A list may stand in brackets.
    if (/^[\s[\],]*$/.test(line)) continue;
    lines += 1;
    const own = eventIdsIn(line);
    if (own === undefined && lines > 1) unreadable += 1;
    for (const id of own ?? []) ids.add(id);
    found += own?.length ?? 0;
    if (lines % TOLD_EVERY === 0) tell(`${lines.toLocaleString("en-US")} lines read`);
  }
  return { lines, found, unreadable };
}

/** The ids of a file: one a line, NDJSON of whole events, or the first column of a CSV. `-` is standard input. */
async function readFileList(file: string, input: NodeJS.ReadableStream, reader: ListReader): Promise<TakenList> {
  const isInput = file === "-";
  const asOf = isInput ? reader.now() : await modifiedAt(file);
  const { lines, found, unreadable } = await takeLines(isInput ? input : createReadStream(file), reader);
  const from = isInput ? "standard input" : file;
  if (lines > 0 && found === 0) {
    throw nothingRead(
      from,
      "Give one event id a line, whole events as NDJSON, or a CSV with the ids in its first column.",
    );
  }
  return { from, asOf, unreadable };
}

async function modifiedAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    throw new CommandError("FILE_UNREADABLE", `the file of --ids cannot be read (${errorCode(error)})`, {
      hint: "Give a file with one event id a line, or - for standard input.",
      cause: error,
    });
  }
}

/** Parts of the table that are scanned side by side. */
const SEGMENTS = 4;

/** `TABLE` or `TABLE:attribute`; a table may be named by its ARN. */
function tableAndAttribute(text: string): { table: string; attribute: string | undefined } {
  const [, table, attribute] = /^(arn:[^/]+\/[\w.-]+|[\w.-]+)(?::(.+))?$/.exec(text) ?? [];
  if (table !== undefined) return { table, attribute };
  throw new UsageError("--dynamodb is no table", {
    hint: "Give it as --dynamodb TABLE or --dynamodb TABLE:attribute.",
  });
}

/** The ids in one attribute of a consumer's table, in whatever text they stand. Without an attribute that is the partition key. */
async function readTableList({ clients }: Target, text: string, reader: ListReader): Promise<TakenList> {
  const { ids, signal, now, tell } = reader;
  const { dynamodb } = clients;
  const { table, attribute = await askingAws("the consumer's table could not be looked at", partitionKey) } =
    tableAndAttribute(text);
  const asOf = now();
  const figures = { items: 0, found: 0 };

  async function partitionKey(): Promise<string> {
    const answer = await dynamodb.send(new DescribeTableCommand({ TableName: tableAndAttribute(text).table }));
    return answer.Table?.KeySchema?.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "id";
  }

  async function scan(Segment: number): Promise<void> {
    let from: Record<string, unknown> | undefined;
    do {
      if (signal.aborted) throw new InterruptedError();
      const answer = await dynamodb.send(
        new ScanCommand({
          TableName: table,
          Segment,
          TotalSegments: SEGMENTS,
          ConsistentRead: true,
          ProjectionExpression: "#id",
          ExpressionAttributeNames: { "#id": attribute },
          ...(from === undefined ? {} : { ExclusiveStartKey: from }),
        }),
      );
      for (const item of answer.Items ?? []) {
        const value = item[attribute] as unknown;
        const id = typeof value === "string" ? eventIdIn(value) : undefined;
        if (id !== undefined) ids.add(id);
        figures.found += id === undefined ? 0 : 1;
      }
      figures.items += answer.Items?.length ?? 0;
      tell(`${figures.items.toLocaleString("en-US")} items read`);
      from = answer.LastEvaluatedKey;
    } while (from !== undefined);
  }

  await askingAws("the consumer's table could not be read", () =>
    Promise.all(Array.from({ length: SEGMENTS }, (_, i) => scan(i))),
  );
  const from = `attribute ${attribute} of table ${table}`;
  if (figures.items > 0 && figures.found === 0) {
    throw nothingRead(from, "Name the attribute that holds detail.meta.eventId: --dynamodb TABLE:attribute.");
  }
  return { from, asOf, unreadable: figures.items - figures.found };
}

/** @throws UsageError */
function bucketAndPrefix(text: string): { bucket: string; prefix: string } {
  const [, bucket, prefix = ""] = /^s3:\/\/([a-z0-9.-]+)(?:\/(.*))?$/.exec(text) ?? [];
  if (bucket !== undefined) return { bucket, prefix };
  throw new UsageError("--s3 is no prefix of a bucket", { hint: "Give it as --s3 s3://BUCKET/PREFIX." });
}

/** The ids in the names of a consumer's objects, `…/<eventId>.json` or so; or, with `contents`, in the events that they hold. */
async function readObjectList(
  { clients }: Target,
  text: string,
  contents: boolean,
  reader: ListReader,
): Promise<TakenList> {
  const { ids, signal, now, tell } = reader;
  const { bucket, prefix } = bucketAndPrefix(text);
  const client = await clients.s3();
  const asOf = now();
  const figures = { objects: 0, found: 0, unreadable: 0 };
  await askingAws("the consumer's bucket could not be read", async () => {
    for await (const key of keysOf(client, bucket, prefix)) {
      if (signal.aborted) throw new InterruptedError();
      figures.objects += 1;
      const id = contents ? undefined : eventIdIn(key.slice(key.lastIndexOf("/") + 1));
      if (id !== undefined) ids.add(id);
      const taken = contents ? await takeObject(client, bucket, key, reader) : { found: id === undefined ? 0 : 1 };
      figures.found += taken.found;
      figures.unreadable += "unreadable" in taken ? taken.unreadable : 1 - taken.found;
      if (figures.objects % 100 === 0) tell(`${figures.objects.toLocaleString("en-US")} objects read`);
    }
  });
  const from = `${contents ? "objects" : "keys"} under s3://${bucket}/${prefix}`;
  if (figures.objects > 0 && figures.found === 0) {
    const hint = contents
      ? "Give a prefix under which whole events lie, as NDJSON."
      : "Add --s3-contents where the ids stand in the objects and not in their names.";
    throw nothingRead(from, hint);
  }
  return { from, asOf, unreadable: figures.unreadable };
}

/** The client of S3 is large: no other list needs it. */
const s3 = () => import("@aws-sdk/client-s3");

async function* keysOf(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<string> {
  const { ListObjectsV2Command } = await s3();
  let token: string | undefined;
  do {
    const answer = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix, ...(token === undefined ? {} : { ContinuationToken: token }) }),
    );
    for (const { Key, Size = 0 } of answer.Contents ?? []) if (Key !== undefined && Size > 0) yield Key;
    token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Firehose writes its objects as they are, or with gzip. */
async function takeObject(client: S3Client, Bucket: string, Key: string, reader: ListReader) {
  const { GetObjectCommand } = await s3();
  const { Body, ContentEncoding } = await client.send(new GetObjectCommand({ Bucket, Key }));
  if (Body === undefined) return { found: 0, unreadable: 0 };
  const isPacked = ContentEncoding === "gzip" || /\.gz$/.test(Key);
  // In Node it is a stream of Node.
  const body = Body as Readable;
  return takeLines(isPacked ? body.pipe(createGunzip()) : body, reader);
}

/** Seconds for which what was read is hidden from others, should this command be killed; at its end it is made visible again. */
const HIDDEN_FOR = 300;
/** Seconds that an answer waits for a message: then all of the queue is looked at. */
const WAIT = 1;
/** Messages read at most: SQS hides 120,000 of a queue at once. */
const MOST_MESSAGES = 100_000;
const AT_ONCE = 10;

/**
 * Reads the event ids in a dead-letter queue, and leaves each message where it is. It counts as received once more, so a queue that drops or moves messages
 * by that count is refused.
 *
 * @returns how many messages were read, and whether that was all of them
 */
export async function readDeadLetters(
  target: Target,
  url: string,
  { ids, signal, tell }: ListReader,
): Promise<{ messages: number; isAll: boolean }> {
  const client = new SQSClient(target.client("sqs"));
  const handles = new Map<string, string>();
  try {
    return await askingAws("the dead-letter queue could not be read", async () => {
      await refuseLive(client, url);
      while (handles.size < MOST_MESSAGES) {
        if (signal.aborted) throw new InterruptedError();
        const before = handles.size;
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            QueueUrl: url,
            MaxNumberOfMessages: AT_ONCE,
            VisibilityTimeout: HIDDEN_FOR,
            WaitTimeSeconds: WAIT,
          }),
        );
        for (const { MessageId = "", ReceiptHandle = "", Body = "" } of Messages) {
          handles.set(MessageId, ReceiptHandle);
          for (const id of eventIdsIn(Body) ?? []) ids.add(id);
        }
        tell(`${handles.size} messages read`);
        // Nothing is left, or what was read first is visible again.
        if (handles.size === before) return { messages: handles.size, isAll: true };
      }
      return { messages: handles.size, isAll: false };
    });
  } finally {
    await showAgain(client, url, [...handles.values()]);
    client.destroy();
  }
}

async function refuseLive(client: SQSClient, QueueUrl: string): Promise<void> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] }),
  );
  if (Attributes?.RedrivePolicy === undefined) return;
  throw new UsageError("the queue of --dlq has a dead-letter queue of its own", {
    hint: "To read it counts as an attempt, after some of which SQS moves a message on. Give the dead-letter queue itself.",
  });
}

/** Makes received letters visible again. Where that fails they become visible after a while. */
async function showAgain(client: SQSClient, QueueUrl: string, handles: readonly string[]): Promise<void> {
  for (let i = 0; i < handles.length; i += AT_ONCE) {
    const Entries = handles
      .slice(i, i + AT_ONCE)
      .map((ReceiptHandle, k) => ({ Id: `${k}`, ReceiptHandle, VisibilityTimeout: 0 }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })).catch(() => undefined);
  }
}
