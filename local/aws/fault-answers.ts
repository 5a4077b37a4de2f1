import type { ServerResponse } from "node:http";
import type { Service } from "./services.ts";

interface FaultAnswer {
  status: number;
  code: string;
  message: string;
}

/** The errors the services really give, since the SDK decides by their codes whether and how to retry. */
const answers: Readonly<Record<Service, { throttle: FaultAnswer; error: FaultAnswer }>> = {
  dynamodb: {
    throttle: {
      status: 400,
      code: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
      message: "The level of configured provisioned throughput for the table was exceeded.",
    },
    error: {
      status: 500,
      code: "com.amazonaws.dynamodb.v20120810#InternalServerError",
      message: "Internal server error",
    },
  },
  eventbridge: {
    throttle: { status: 400, code: "ThrottlingException", message: "Rate exceeded" },
    error: { status: 500, code: "InternalException", message: "Internal failure" },
  },
  s3: {
    throttle: { status: 503, code: "SlowDown", message: "Please reduce your request rate." },
    error: { status: 500, code: "InternalError", message: "We encountered an internal error. Please try again." },
  },
  secretsmanager: {
    throttle: { status: 400, code: "ThrottlingException", message: "Rate exceeded" },
    error: { status: 500, code: "InternalServiceError", message: "An error occurred on the server side." },
  },
  sqs: {
    throttle: { status: 400, code: "com.amazonaws.sqs#RequestThrottled", message: "Rate exceeded" },
    error: { status: 500, code: "com.amazonaws.sqs#InternalFailure", message: "Internal failure" },
  },
};

export const contentTypes: Readonly<Record<Service, string>> = {
  dynamodb: "application/x-amz-json-1.0",
  eventbridge: "application/x-amz-json-1.1",
  s3: "application/xml",
  secretsmanager: "application/x-amz-json-1.1",
  sqs: "application/x-amz-json-1.0",
};

export function sendFault(service: Service, kind: "throttle" | "error", response: ServerResponse): void {
  sendError(service, answers[service][kind], response);
}

/** Answers whoever is not let in. The SDK takes it for the end of the matter. */
export function sendRefusal(service: Service, message: string, response: ServerResponse): void {
  sendError(service, { status: 403, code: "UnrecognizedClientException", message }, response);
}

function sendError(service: Service, { status, code, message }: FaultAnswer, response: ServerResponse): void {
  const body =
    service === "s3"
      ? `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
      : JSON.stringify({ __type: code, message });
  // HEAD answers have no body: the SDK then goes by the status alone, as with the real service.
  const head = response.req.method === "HEAD";
  response.writeHead(status, { "content-type": contentTypes[service] });
  response.end(head ? undefined : body);
}
