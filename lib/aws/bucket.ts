import type { S3Client } from "@aws-sdk/client-s3";
import type { Vault } from "../polling/index.ts";

/** The claim-check bucket: answers too large for an event, and records too large for the table. */
export interface Bucket extends Vault {
  putJson(key: string, body: string): Promise<void>;
  /** The keys of all objects that begin with this. */
  keysUnder(prefix: string): Promise<string[]>;
}

export function createBucket(client: () => Promise<S3Client>, bucket: string): Bucket {
  async function putJson(key: string, body: string): Promise<void> {
    const { PutObjectCommand } = await import("./s3.ts");
    const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: "application/json" });
    await (await client()).send(command);
  }
  return {
    putJson,
    put: (key, value) => putJson(key, JSON.stringify(value)),
    async get(key) {
      const { GetObjectCommand } = await import("./s3.ts");
      try {
        const answer = await (await client()).send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return JSON.parse((await answer.Body?.transformToString()) ?? "null");
      } catch (error) {
        if (error instanceof Error && error.name === "NoSuchKey") return undefined;
        throw error;
      }
    },
    async keysUnder(Prefix) {
      const { ListObjectsV2Command } = await import("./s3.ts");
      const keys: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const command = new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken });
        const page = await (await client()).send(command);
        keys.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []));
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return keys;
    },
    async delete(key) {
      const { DeleteObjectCommand } = await import("./s3.ts");
      await (await client()).send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}
