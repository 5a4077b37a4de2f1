import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3";
import { InterruptedError } from "../../../errors.ts";
import { eventIdIn } from "../../../ids/event-ids.ts";
import { askingAws } from "../../../target/aws-failure.ts";
import type { Target } from "../../../target/target.ts";
import { nothingRead } from "../text.ts";
import { takeLines } from "./lines.ts";
import type { ListReader, TakenList } from "./list.ts";
import { bucketAndPrefix } from "./s3-prefix.ts";

/** The ids in the names of a consumer's objects, `…/<eventId>.json` or so; or, with `contents`, in the events that they hold. */
export async function readObjectList(
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

async function* keysOf(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<string> {
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
  const { Body, ContentEncoding } = await client.send(new GetObjectCommand({ Bucket, Key }));
  if (Body === undefined) return { found: 0, unreadable: 0 };
  const isPacked = ContentEncoding === "gzip" || /\.gz$/.test(Key);
  // In Node it is a stream of Node.
  const body = Body as Readable;
  return takeLines(isPacked ? body.pipe(createGunzip()) : body, reader);
}
