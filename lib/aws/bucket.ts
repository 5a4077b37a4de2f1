import type { S3Client } from "@aws-sdk/client-s3";

export type Bucket = ReturnType<typeof createBucket>;

/** The claim-check bucket: answers too large for an event, and records too large for the table. */
export function createBucket(client: () => Promise<S3Client>, bucket: string) {
  async function write(Key: string, Body: string, more: { IfNoneMatch?: "*" } = {}): Promise<void> {
    const { PutObjectCommand } = await import("./s3.ts");
    const command = new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType: "application/json", ...more });
    await (await client()).send(command);
  }
  async function get(key: string): Promise<unknown> {
    const { GetObjectCommand } = await import("./s3.ts");
    try {
      const answer = await (await client()).send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return JSON.parse((await answer.Body?.transformToString()) ?? "null");
    } catch (error) {
      if (error instanceof Error && error.name === "NoSuchKey") return undefined;
      throw error;
    }
  }
  return {
    putJson: (key: string, body: string) => write(key, body),
    put: (key: string, value: unknown) => write(key, JSON.stringify(value)),
    get,
    /** Writes an object only where there is none, and gives what is there then. */
    async putOnce<T>(key: string, value: T) {
      const there = await get(key);
      if (there !== undefined) return there as T;
      await write(key, JSON.stringify(value), { IfNoneMatch: "*" }).catch((error: unknown) => {
        // Another worker was first, or is at it at this moment.
        if (!(error instanceof Error && /^(PreconditionFailed|ConditionalRequestConflict)$/.test(error.name)))
          throw error;
      });
      return (await get(key)) as T;
    },
    /** The keys of all objects that begin with this. */
    async keysUnder(Prefix: string) {
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
    async delete(key: string) {
      const { DeleteObjectCommand } = await import("./s3.ts");
      await (await client()).send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}
