import type { IncomingMessage } from "node:http";
import { signer } from "./guard.ts";
import type { Service } from "./services.ts";

/** How often one caller used one operation. */
export interface OperationUse {
  service: Service;
  /** SDK name, e.g. `BatchGetItem`. */
  operation: string;
  /** The IAM action that allows it, e.g. `s3:ListBucket` for `ListObjectsV2`. */
  action: string;
  /** Access key the request was signed with: a function that writes its name behind it (`KEY.poll`) can be told apart. */
  accessKeyId: string;
  count: number;
}

export interface RequestLog {
  record(service: Service, operation: string, request: IncomingMessage): void;
  /** Requests by `service:operation`, e.g. `{ "dynamodb:GetItem": 3 }`. */
  counters(): Record<string, number>;
  operations(): OperationUse[];
}

const iamPrefix: Readonly<Record<Service, string>> = {
  dynamodb: "dynamodb",
  eventbridge: "events",
  s3: "s3",
  secretsmanager: "secretsmanager",
  sqs: "sqs",
};

/** Only where the action is not named like the operation. */
const iamNames: Readonly<Partial<Record<Service, Readonly<Record<string, string>>>>> = {
  s3: {
    CompleteMultipartUpload: "PutObject",
    CopyObject: "PutObject",
    CreateMultipartUpload: "PutObject",
    DeleteObjects: "DeleteObject",
    HeadBucket: "ListBucket",
    HeadObject: "GetObject",
    ListBuckets: "ListAllMyBuckets",
    ListObjects: "ListBucket",
    ListObjectsV2: "ListBucket",
    UploadPart: "PutObject",
  },
  sqs: {
    ChangeMessageVisibilityBatch: "ChangeMessageVisibility",
    DeleteMessageBatch: "DeleteMessage",
    SendMessageBatch: "SendMessage",
  },
};

export function createRequestLog(): RequestLog {
  const uses = new Map<string, OperationUse>();
  return {
    record(service, operation, request) {
      const accessKeyId = signer(request);
      const key = `${service}:${operation}:${accessKeyId}`;
      const use = uses.get(key);
      if (use !== undefined) {
        use.count += 1;
        return;
      }
      const action = `${iamPrefix[service]}:${iamNames[service]?.[operation] ?? operation}`;
      uses.set(key, { service, operation, action, accessKeyId, count: 1 });
    },
    counters() {
      const totals: Record<string, number> = {};
      for (const { service, operation, count } of uses.values()) {
        const key = `${service}:${operation}`;
        totals[key] = (totals[key] ?? 0) + count;
      }
      return totals;
    },
    operations: () => [...uses.values()].map((use) => ({ ...use })),
  };
}
