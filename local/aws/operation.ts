import type { IncomingMessage } from "node:http";
import type { Service } from "./services.ts";

/** The operation a request calls, by its SDK name: from the target header, or for S3 from method and address. */
export function operationOf(service: Service, request: IncomingMessage): string {
  return service === "s3" ? s3Operation(request) : targetOperation(request);
}

function targetOperation(request: IncomingMessage): string {
  const target = request.headers["x-amz-target"];
  return typeof target === "string" ? target.slice(target.lastIndexOf(".") + 1) : "Unknown";
}

const bucketOperations: Readonly<Record<string, string>> = {
  DELETE: "DeleteBucket",
  GET: "ListObjects",
  HEAD: "HeadBucket",
  PUT: "CreateBucket",
};

const objectOperations: Readonly<Record<string, string>> = {
  DELETE: "DeleteObject",
  GET: "GetObject",
  HEAD: "HeadObject",
  PUT: "PutObject",
};

function s3Operation(request: IncomingMessage): string {
  const url = new URL(request.url ?? "/", "http://s3");
  const query = url.searchParams;
  const named = query.get("x-id");
  if (named !== null) return named;
  const method = request.method ?? "GET";
  const [bucket = "", ...rest] = url.pathname.slice(1).split("/");
  if (bucket === "") return "ListBuckets";
  const key = rest.join("/");
  if (query.has("lifecycle"))
    return `${lifecycleVerb[method] ?? method}BucketLifecycle${method === "DELETE" ? "" : "Configuration"}`;
  if (query.has("delete")) return "DeleteObjects";
  if (query.has("uploads")) return method === "POST" ? "CreateMultipartUpload" : "ListMultipartUploads";
  if (query.has("uploadId")) return multipartOperations[method] ?? "Unknown";
  if (query.has("attributes")) return "GetObjectAttributes";
  if (key !== "") return objectOperations[method] ?? "Unknown";
  if (method === "GET" && query.get("list-type") === "2") return "ListObjectsV2";
  return bucketOperations[method] ?? "Unknown";
}

const lifecycleVerb: Readonly<Record<string, string>> = { DELETE: "Delete", GET: "Get", PUT: "Put" };

const multipartOperations: Readonly<Record<string, string>> = {
  DELETE: "AbortMultipartUpload",
  GET: "ListParts",
  POST: "CompleteMultipartUpload",
  PUT: "UploadPart",
};
