import { stat } from "node:fs/promises";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { CommandError, InterruptedError, UsageError } from "../../errors.ts";
import { eventIdIn, eventsIn, linesOf, unreadable } from "../../event-ids.ts";
import type { Io } from "../../io.ts";
import { askingAws, closing } from "../../target/aws-failure.ts";
import { readQueue } from "../../target/read-queue.ts";
import type { Target } from "../../target/target.ts";
import { momentOf } from "../../verb.ts";
import { figure } from "../../words.ts";

export interface ListOptions {
  ids?: string | undefined;
  dynamodb?: string | undefined;
  s3?: string | undefined;
  asOf?: string | undefined;
}

/** Where ids go as they are read. */
export interface Reading {
  ids: Set<string>;
  signal: AbortSignal;
  /** Called as it goes on. */
  tell(text: string): void;
}

interface TakenList {
  /** Where it was read, for people. */
  from: string;
  /** When it was taken (epoch milliseconds). */
  asOf: number;
  /** Lines, items or objects in which no event id stands. */
  unreadable: number;
}

interface List {
  from: string;
  asOf: number;
  unit: "lines" | "items" | "objects";
  /** Advice where no event id stands in it. */
  hint: string;
  /** Of each line, item or object the ids in it; undefined: none that can be read. */
  entries: AsyncIterable<readonly string[] | undefined>;
}

/** Looks at what the flags say before anything is opened. */
export function checkList({ ids, dynamodb, s3, asOf }: ListOptions): void {
  const hint = "Give one of --ids FILE, --dynamodb TABLE and --s3 PREFIX.";
  const given = [ids, dynamodb, s3].filter((one) => one !== undefined).length;
  if (given === 0) throw new UsageError("it is not said what the consumer has", { hint });
  if (given > 1) throw new UsageError("there is more than one list of the consumer", { hint });
  if (dynamodb !== undefined) tableAndAttribute(dynamodb);
  if (s3 !== undefined) bucketAndPrefix(s3);
  if (asOf !== undefined) momentOf("--as-of", asOf);
}

export async function readList(
  target: Target,
  { ids, dynamodb, s3, asOf }: ListOptions,
  io: Pick<Io, "input" | "now" | "signal">,
  { ids: into, signal, tell }: Reading,
): Promise<TakenList> {
  return askingAws("what the consumer has could not be read", async () => {
    const list =
      dynamodb !== undefined
        ? tableList(target, dynamodb, io)
        : s3 === undefined
          ? fileList(ids ?? "-", io)
          : objectList(target, s3, io);
    const { from, unit, entries, hint, asOf: takenAt } = await list;
    let [all, found, unreadable] = [0, 0, 0];
    for await (const own of entries) {
      if (signal.aborted) throw new InterruptedError();
      all += 1;
      unreadable += own === undefined ? 1 : 0;
      found += own?.length ?? 0;
      // A copy: a part of a line would keep all of the line in memory.
      for (const id of own ?? []) into.add(Buffer.from(id).toString("latin1"));
      if (all % 1_000 === 0) tell(`${figure(all)} ${unit} read`);
    }
    if (all > 0 && found === 0) throw new CommandError("NO_EVENT_IDS", `${from} holds no event id`, { hint });
    return { from, asOf: asOf === undefined ? takenAt : momentOf("--as-of", asOf), unreadable };
  });
}

/** A file: one id a line, NDJSON of whole events, or the first column of a CSV. `-` is standard input. */
async function fileList(file: string, io: Pick<Io, "input" | "now" | "signal">): Promise<List> {
  const isInput = file === "-";
  const orUnreadable = (cause: unknown): never => {
    throw unreadable("--ids", cause);
  };
  const asOf = isInput ? io.now() : (await stat(file).catch(orUnreadable)).mtimeMs;
  return {
    ...{ from: isInput ? "standard input" : file, asOf, unit: "lines" },
    hint: "Give one event id a line, whole events as NDJSON, or a CSV with the ids in its first column.",
    entries: idsOfLines(linesOf("--ids", file, io)),
  };
}

async function* idsOfLines(lines: AsyncIterable<string>): AsyncGenerator<readonly string[] | undefined> {
  let isFirst = true;
  for await (const line of lines) {
    // A list may stand in brackets.
    if (/^[\s[\],]*$/.test(line)) continue;
    // The first line may be the head of a table.
    yield eventsIn(line)?.ids ?? (isFirst ? [] : undefined);
    isFirst = false;
  }
}

/** `TABLE` or `TABLE:attribute`; a table may be named by its ARN. */
function tableAndAttribute(text: string): { table: string; attribute: string | undefined } {
  const [, table, attribute] = /^(arn:[^/]+\/[\w.-]+|[\w.-]+)(?::(.+))?$/.exec(text) ?? [];
  if (table !== undefined) return { table, attribute };
  const hint = "Give it as --dynamodb TABLE or --dynamodb TABLE:attribute.";
  throw new UsageError("--dynamodb is no table", { hint });
}

/** The ids in one attribute of a consumer's table, in whatever text they stand. Without an attribute that is the partition key. */
async function tableList({ clients: { dynamodb } }: Target, text: string, { now }: Pick<Io, "now">): Promise<List> {
  const { table: TableName, attribute: named } = tableAndAttribute(text);
  const keys = named === undefined ? (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table : undefined;
  const attribute = named ?? keys?.KeySchema?.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "id";
  async function* entries(): AsyncGenerator<readonly string[] | undefined> {
    const ids = { ProjectionExpression: "#id", ExpressionAttributeNames: { "#id": attribute } };
    const pages = paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true, ...ids });
    for await (const { Items = [] } of pages) {
      for (const item of Items) {
        const value: unknown = item[attribute];
        const id = typeof value === "string" ? eventIdIn(value) : undefined;
        yield id === undefined ? undefined : [id];
      }
    }
  }
  return {
    ...{ from: `attribute ${attribute} of table ${TableName}`, asOf: now(), unit: "items", entries: entries() },
    hint: "Name the attribute that holds detail.meta.eventId: --dynamodb TABLE:attribute.",
  };
}

function bucketAndPrefix(text: string): { Bucket: string; Prefix: string } {
  const [, Bucket, Prefix = ""] = /^s3:\/\/([a-z0-9.-]+)(?:\/(.*))?$/.exec(text) ?? [];
  if (Bucket !== undefined) return { Bucket, Prefix };
  throw new UsageError("--s3 is no prefix of a bucket", { hint: "Give it as --s3 s3://BUCKET/PREFIX." });
}

/** The ids in the names of a consumer's objects, `…/<eventId>.json` or so. */
async function objectList({ clients }: Target, text: string, { now }: Pick<Io, "now">): Promise<List> {
  const { Bucket, Prefix } = bucketAndPrefix(text);
  const client = await clients.s3();
  // The client of S3 is large: no other list needs it.
  const { paginateListObjectsV2 } = await import("@aws-sdk/client-s3");
  async function* entries(): AsyncGenerator<readonly string[] | undefined> {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
      for (const { Key = "", Size = 0 } of Contents) {
        if (Size === 0) continue;
        const id = eventIdIn(Key.slice(Key.lastIndexOf("/") + 1));
        yield id === undefined ? undefined : [id];
      }
    }
  }
  return {
    ...{ from: `keys under s3://${Bucket}/${Prefix}`, asOf: now(), unit: "objects", entries: entries() },
    hint: "Each object is named by its event id, such as <eventId>.json. Else give a file of ids: --ids.",
  };
}

/** Messages read at most: SQS hides 120,000 of a queue at once. */
const MOST_MESSAGES = 100_000;

/** Reads the event ids in a dead-letter queue. A queue that drops or moves messages by the count of receipts is refused. */
export async function readDeadLetters(target: Target, url: string, { ids, ...reading }: Reading) {
  using client = closing(new SQSClient(target.client("sqs")));
  const take = (body: string): boolean => {
    for (const id of eventsIn(body)?.ids ?? []) ids.add(id);
    return false;
  };
  return await askingAws("the dead-letter queue could not be read", async () => {
    await refuseLive(client, url);
    return readQueue(client, url, { ...reading, most: MOST_MESSAGES, take });
  });
}

async function refuseLive(client: SQSClient, QueueUrl: string): Promise<void> {
  const policy = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] });
  if ((await client.send(policy)).Attributes?.RedrivePolicy === undefined) return;
  const hint =
    "To read it counts as an attempt, after some of which SQS moves a message on. Give the dead-letter queue itself.";
  throw new UsageError("the queue of --dlq has a dead-letter queue of its own", { hint });
}
