import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { listenHere } from "../listen.ts";
import { sendJson } from "./aws-json.ts";

/** The AWS services that run on the laptop, by the names their faults go by, each with the target of its requests. S3 has none. */
const TARGETS = {
  DynamoDB_20120810: "dynamodb",
  AmazonSQS: "sqs",
  AWSEvents: "eventbridge",
  secretsmanager: "secretsmanager",
} as const;

export type Service = (typeof TARGETS)[keyof typeof TARGETS] | "s3";

/** The service that a request is for, by its header `x-amz-target`. */
function serviceOf(target = ""): Service {
  const [name = ""] = target.split(".");
  return Object.hasOwn(TARGETS, name) ? TARGETS[name as keyof typeof TARGETS] : "s3";
}

/** Stands between the door of the services and their work. It answers a request itself, or passes it on. */
export type Middleware = (
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  next: RequestListener,
) => void;

/**
 * The one door to all services, on a free port of 127.0.0.1 and of no other interface: what they hold is personal data. It lets in the clients of
 * the run alone.
 *
 * @param middlewares each request passes them in order; the list may change
 */
export async function openDoor(
  handle: (service: Service) => RequestListener,
  accessKeyId: string,
  middlewares: ReadonlySet<Middleware>,
) {
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, accessKeyId);
    if (refusal !== undefined) {
      // The SDK takes it for the end of the matter.
      return sendJson(response, 403, { __type: "UnrecognizedClientException", message: refusal });
    }
    const service = serviceOf(request.headers["x-amz-target"]?.toString());
    const through = [...middlewares].reduceRight<RequestListener>(
      (next, middleware) => (on, answer) => middleware(service, on, answer, next),
      handle(service),
    );
    through(request, response);
  });
  // Above the SDK agents' own idle time, so that a reused connection is not closed under a request.
  server.keepAliveTimeout = 65_000;
  const { port, close } = await listenHere(server);
  return { endpoint: `http://127.0.0.1:${port}`, close };
}

/**
 * Why a request is not let in, whatever service it is for; undefined for one of the clients of this run. Any page that the user visits can send
 * one, and so can any other user of the machine.
 */
function refusalOf(request: IncomingMessage, accessKeyId: string): string | undefined {
  const { host, origin, authorization = "" } = request.headers;
  if (origin !== undefined) return "A web page asks here for nothing.";
  if (host !== `127.0.0.1:${request.socket.localPort}`) return "These services have no other name than their address.";
  const shown = Buffer.from(/Credential=([^/,\s]+)/.exec(authorization)?.[1] ?? "");
  const own = Buffer.from(accessKeyId);
  const isOwn = shown.length === own.length && timingSafeEqual(shown, own);
  return isOwn ? undefined : "The access key is not the one of this run.";
}
