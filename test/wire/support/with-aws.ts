import { GetObjectCommand } from "@aws-sdk/client-s3";
import { startEmbeddedAws } from "../../../lib/local/aws/index.ts";
import { names } from "../../../lib/local/runner/provision.ts";
import { type Aws, createAws } from "../../deploy/support/aws.ts";
import type { DeliveredEvent } from "../../support/command.ts";

/** What a command that has ended left in its data folder, which is free again afterwards: the next command needs it for itself. */
export async function withAws<T>(dataDir: string, work: (aws: Aws) => Promise<T>): Promise<T> {
  const { endpoint, credentials, close } = await startEmbeddedAws({ dataDir });
  const aws = createAws(endpoint, credentials.accessKeyId, credentials.secretAccessKey);
  try {
    return await work(aws);
  } finally {
    aws.close();
    await close();
  }
}

/** Every item of the table. */
export const readTable = ({ items }: Aws): Promise<Record<string, unknown>[]> => items(names.table);

/** The answers that events left in the claim-check bucket, by event id, for `compareWithTruth`. */
export async function readClaimed({ s3 }: Aws, events: readonly DeliveredEvent[]): Promise<Map<string, unknown[]>> {
  const claimed = new Map<string, unknown[]>();
  for (const { detail } of events) {
    const ref = detail.data.answersRef;
    if (ref === null) continue;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: ref.bucket, Key: ref.key }));
    claimed.set(detail.meta.eventId, JSON.parse((await Body?.transformToString()) ?? "") as unknown[]);
  }
  return claimed;
}
