import { stat } from "node:fs/promises";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { CommandError, InterruptedError, UsageError } from "../../errors.ts";
import { eventIdsIn, eventsIn, linesOf, unreadable } from "../../event-ids.ts";
import type { Io } from "../../io.ts";
import { closing } from "../../target/aws-failure.ts";
import { readQueue } from "../../target/read-queue.ts";
import type { Target } from "../../target/target.ts";
import { momentOf } from "../../verb.ts";
import { figure } from "../../words.ts";

// The event ids that a consumer has: in a file, a table or a bucket. And those in its dead-letter queue.

/** Where ids go as they are read; `tell` is called as it goes on. */
interface Reading {
  ids: Set<string>;
  tell(text: string): void;
}

interface List {
  /** Where it was read, for people; when it was taken (epoch milliseconds); and of what it is. */
  from: string;
  asOf: number;
  unit: "lines" | "items" | "objects";
  /** Advice where no event id stands in it. */
  hint: string;
  /** Of each line, item or object the ids in it; undefined: none that can be read. */
  entries: AsyncIterable<readonly string[] | undefined>;
}

export type OpenList = (target: Target, io: Io) => Promise<List>;

/** How the flags name a list, and say when it was taken. */
export interface ListOptions {
  ids?: string | undefined;
  dynamodb?: string | undefined;
  s3?: string | undefined;
  asOf?: string | undefined;
}

/** The list that the flags name. They are looked at before anything is opened. */
export function chosenList({ ids, dynamodb, s3, asOf }: ListOptions): OpenList {
  const hint = "Give one of --ids FILE, --dynamodb TABLE and --s3 PREFIX.";
  const given = [ids, dynamodb, s3].filter((one) => one !== undefined).length;
  if (given > 1) throw new UsageError("there is more than one list of the consumer", { hint });
  if (asOf !== undefined) momentOf("--as-of", asOf);
  if (ids !== undefined) return fileList(ids);
  if (dynamodb !== undefined) return tableList(dynamodb);
  if (s3 !== undefined) return objectList(s3);
  throw new UsageError("it is not said what the consumer has", { hint });
}

export async function readList(
  { from, unit, entries, hint, asOf: takenAt }: List,
  { asOf }: ListOptions,
  { signal }: Io,
  { ids, tell }: Reading,
) {
  let [all, found, unreadable] = [0, 0, 0];
  for await (const own of entries) {
    if (signal.aborted) throw new InterruptedError();
    all += 1;
    unreadable += own === undefined ? 1 : 0;
    found += own?.length ?? 0;
    // A copy: a part of a line would keep all of the line in memory.
    for (const id of own ?? []) ids.add(Buffer.from(id).toString("latin1"));
    if (all % 1_000 === 0) tell(`${figure(all)} ${unit} read`);
  }
  if (all > 0 && found === 0) throw new CommandError("NO_EVENT_IDS", `${from} holds no event id`, { hint });
  return { from, asOf: asOf === undefined ? takenAt : momentOf("--as-of", asOf), unreadable };
}

/** A file: one id a line, NDJSON of whole events, or the first column of a CSV. `-` is standard input. */
function fileList(file: string): OpenList {
  return async (_, io) => {
    const isInput = file === "-";
    const stats = isInput ? undefined : await stat(file).catch((cause) => Promise.reject(unreadable("--ids", cause)));
    async function* entries(): AsyncGenerator<readonly string[] | undefined> {
      let isFirst = true;
      for await (const line of linesOf("--ids", file, io)) {
        // A list may stand in brackets.
        if (/^[\s[\],]*$/.test(line)) continue;
        const told = eventsIn(line);
        // The first line may be the head of a table.
        yield told.length === 0 && !isFirst ? undefined : told.flatMap(({ id }) => id ?? []);
        isFirst = false;
      }
    }
    return {
      ...{ from: isInput ? "standard input" : file, asOf: stats?.mtimeMs ?? io.now(), unit: "lines" },
      hint: "Give one event id a line, whole events as NDJSON, or a CSV with the ids in its first column.",
      entries: entries(),
    };
  };
}

/** `TABLE:attribute`: the ids in one attribute of a consumer's table, in whatever text they stand. Without an attribute that is the partition key. */
function tableList(text: string): OpenList {
  // A table may be named by its ARN.
  const [, TableName, named] = /^(arn:[^/]+\/[\w.-]+|[\w.-]+)(?::(.+))?$/.exec(text) ?? [];
  const hint = "Give it as --dynamodb TABLE or --dynamodb TABLE:attribute.";
  if (TableName === undefined) throw new UsageError("--dynamodb is no table", { hint });
  return async ({ clients: { dynamodb } }, { now }) => {
    const keys = named === undefined ? (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table : undefined;
    const attribute = named ?? keys?.KeySchema?.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "id";
    async function* entries(): AsyncGenerator<readonly string[] | undefined> {
      const ids = { ProjectionExpression: "#id", ExpressionAttributeNames: { "#id": attribute } };
      const pages = paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true, ...ids });
      for await (const { Items = [] } of pages) {
        for (const { [attribute]: value } of Items) yield typeof value === "string" ? eventIdsIn(value) : undefined;
      }
    }
    return {
      ...{ from: `attribute ${attribute} of table ${TableName}`, asOf: now(), unit: "items", entries: entries() },
      hint: "Name the attribute that holds detail.meta.eventId: --dynamodb TABLE:attribute.",
    };
  };
}

/** `s3://BUCKET/PREFIX`: the ids in the names of a consumer's objects, `…/<eventId>.json` or so. */
function objectList(text: string): OpenList {
  const [, Bucket, Prefix = ""] = /^s3:\/\/([a-z0-9.-]+)(?:\/(.*))?$/.exec(text) ?? [];
  const hint = "Give it as --s3 s3://BUCKET/PREFIX.";
  if (Bucket === undefined) throw new UsageError("--s3 is no prefix of a bucket", { hint });
  return async ({ clients }, { now }) => {
    const client = await clients.s3();
    // The client of S3 is large: no other list needs it.
    const { paginateListObjectsV2 } = await import("@aws-sdk/client-s3");
    async function* entries(): AsyncGenerator<readonly string[] | undefined> {
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
        for (const { Key = "", Size = 0 } of Contents)
          if (Size > 0) yield eventIdsIn(Key.slice(Key.lastIndexOf("/") + 1));
      }
    }
    return {
      ...{ from: `keys under s3://${Bucket}/${Prefix}`, asOf: now(), unit: "objects", entries: entries() },
      hint: "Each object is named by its event id, such as <eventId>.json. Else give a file of ids: --ids.",
    };
  };
}

/** Messages read at most: SQS hides 120,000 of a queue at once. */
const MOST_MESSAGES = 100_000;

/** Reads the event ids in a dead-letter queue. A queue that drops or moves messages by the count of receipts is refused. */
export async function readDeadLetters(target: Target, QueueUrl: string, { signal }: Io, { ids, tell }: Reading) {
  using client = closing(new SQSClient(target.client("sqs")));
  const policy = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] });
  if ((await client.send(policy)).Attributes?.RedrivePolicy !== undefined) {
    const hint =
      "To read it counts as an attempt, after some of which SQS moves a message on. Give the dead-letter queue itself.";
    throw new UsageError("the queue of --dlq has a dead-letter queue of its own", { hint });
  }
  const take = (body: string): boolean => {
    for (const { id } of eventsIn(body)) if (id !== undefined) ids.add(id);
    return false;
  };
  return await readQueue(client, QueueUrl, { signal, tell, most: MOST_MESSAGES, take });
}
