import { hash } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Delivered, Recorded } from "./recorded.ts";
import { summarize } from "./recorded.ts";

const table = DynamoDBDocumentClient.from(new DynamoDBClient());
const s3 = new S3Client();
const { TABLE_NAME = "", LANE = "" } = process.env;

/** A request by a function URL, or an event as EventBridge gives it to a function. */
type Input = { body: string; isBase64Encoded?: boolean; headers: Record<string, string | undefined> } | Delivered;

/** A subscriber: writes down what it was given, and what it was given it with. */
export async function handler(input: Input): Promise<{ statusCode: number }> {
  const isRequest = "body" in input;
  const text = isRequest ? textOf(input) : JSON.stringify(input);
  const event = JSON.parse(text) as Delivered;
  const { answersRef } = event.detail.data;
  // An endpoint elsewhere has no right to the bucket.
  const fetched = answersRef === null || isRequest ? undefined : await read(answersRef);
  const authorization = isRequest ? input.headers.authorization : undefined;
  const item: Recorded = {
    ...summarize(event, LANE, Buffer.byteLength(text), fetched),
    ...(authorization === undefined ? {} : { authorization: hash("sha256", authorization, "hex") }),
  };
  await table.send(new PutCommand({ TableName: TABLE_NAME, Item: item }));
  return { statusCode: 204 };
}

function textOf({ body, isBase64Encoded }: { body: string; isBase64Encoded?: boolean }): string {
  return isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
}

async function read({ bucket, key }: { bucket: string; key: string }): Promise<unknown[]> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return JSON.parse((await Body?.transformToString()) ?? "null") as unknown[];
}
