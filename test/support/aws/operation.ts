import type { IncomingMessage } from "node:http";
import type { Service } from "../../../lib/local/aws/index.ts";

const ON_OBJECTS: Record<string, string> = {
  DELETE: "DeleteObject",
  GET: "GetObject",
  HEAD: "HeadObject",
  PUT: "PutObject",
};
const ON_BUCKETS: Record<string, string> = { GET: "ListObjectsV2", HEAD: "HeadBucket", PUT: "CreateBucket" };

/** The operation that a request calls, by its SDK name: from the target header, or of S3 from method and address. */
export function operationOf(service: Service, { headers, method = "GET", url = "/" }: IncomingMessage): string {
  if (service !== "s3") return String(headers["x-amz-target"]).split(".").at(-1) ?? "";
  const { pathname, searchParams } = new URL(url, "http://s3");
  const [, , ...key] = pathname.split("/");
  return searchParams.get("x-id") ?? (key.join("") === "" ? ON_BUCKETS : ON_OBJECTS)[method] ?? method;
}
