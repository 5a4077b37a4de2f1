import { UsageError } from "../../../flags.ts";

/** @throws UsageError */
export function bucketAndPrefix(text: string): { bucket: string; prefix: string } {
  const [, bucket, prefix = ""] = /^s3:\/\/([a-z0-9.-]+)(?:\/(.*))?$/.exec(text) ?? [];
  if (bucket !== undefined) return { bucket, prefix };
  throw new UsageError("--s3 is no prefix of a bucket", { hint: "Give it as --s3 s3://BUCKET/PREFIX." });
}
