import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type EmbeddedAws, startEmbeddedAws } from "../../../lib/local/aws/index.ts";
import { names } from "../../../lib/local/runner/load-function.ts";
import type { DeliveredEvent } from "../../support/command.ts";

/** Options of an SDK client for the embedded services. */
export const clientOf = ({ endpoint, credentials }: EmbeddedAws) => ({
  endpoint,
  credentials,
  region: "us-east-1",
});

/** What a command that has ended left in its data folder, which is free again afterwards: the next command needs it for itself. */
export async function withAws<T>(dataDir: string, work: (aws: EmbeddedAws) => Promise<T>): Promise<T> {
  const aws = await startEmbeddedAws({ dataDir });
  try {
    return await work(aws);
  } finally {
    await aws.close();
  }
}

/** Every item of the table. */
export async function readTable(aws: EmbeddedAws): Promise<Record<string, unknown>[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientOf(aws)));
  const items: Record<string, unknown>[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const answer = await client.send(
      new ScanCommand({ TableName: names.table, ...(from === undefined ? {} : { ExclusiveStartKey: from }) }),
    );
    items.push(...(answer.Items ?? []));
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
  client.destroy();
  return items;
}

/** The answers that events left in the claim-check bucket, by event id, for `compareWithTruth`. */
export async function readClaimed(
  aws: EmbeddedAws,
  events: readonly DeliveredEvent[],
): Promise<Map<string, unknown[]>> {
  const s3 = new S3Client({ ...clientOf(aws), forcePathStyle: true });
  const claimed = new Map<string, unknown[]>();
  for (const { detail } of events) {
    const ref = detail.data.answersRef;
    if (ref === null) continue;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: ref.bucket, Key: ref.key }));
    claimed.set(detail.meta.eventId, JSON.parse((await Body?.transformToString()) ?? "") as unknown[]);
  }
  s3.destroy();
  return claimed;
}
