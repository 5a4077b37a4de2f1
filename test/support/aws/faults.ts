import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { EmbeddedAws, Service } from "../../../lib/local/aws/index.ts";
import { createRandom } from "../../../lib/local/simulator/hashing.ts";
import { operationOf } from "./operation.ts";
import { splits } from "./partial.ts";

/**
 * - `throttle`: the service's own throttling error, nothing done
 * - `error`: the service's own 500, nothing done
 * - `down`: the connection is dropped before anything is done
 * - `delay`: the answer comes `delayMs` later
 * - `partial`: some entries of a batch fail, the others are done (PutEvents, and the batch operations of DynamoDB)
 * - `lose-answer`: the work is done, then the connection is dropped instead of an answer
 */
export type FaultKind = "throttle" | "delay" | "partial" | "lose-answer" | "error" | "down";

export interface Fault {
  service: Service;
  /** Operation name as the SDK command has it (`PutEvents`); every operation of the service without one. */
  operation?: string;
  kind: FaultKind;
  /** A regular expression for the path of its requests, as of an object's key (`/bucket/key`); any path without one. */
  path?: string;
  /** Lets so many matching requests pass first. */
  after?: number;
  /** How many requests it hits before it is spent; without limit by default. */
  times?: number;
  /** Chance of hitting a request, 0 to 1, drawn from the seeded generator; 1 by default. */
  probability?: number;
  /** Milliseconds; for `delay` only. */
  delayMs?: number;
}

export type FaultHandle = ReturnType<Faults["add"]>;
export type Faults = ReturnType<typeof createFaults>;

interface Armed {
  fault: Fault;
  seen: number;
  hits: number;
}

/** Lets the requests to an embedded AWS meet faults. One meets a single fault: the first that is due. */
export function createFaults(aws: Pick<EmbeddedAws, "use">) {
  const random = createRandom(1);
  let armed: Armed[] = [];

  function isDue(one: Armed, service: Service, operation: string, path: string): boolean {
    const { fault } = one;
    if (fault.service !== service || (fault.operation ?? operation) !== operation) return false;
    if (fault.path !== undefined && !new RegExp(fault.path).test(path)) return false;
    if (fault.kind === "partial" && splits[operation] === undefined) return false;
    one.seen += 1;
    if (one.seen <= (fault.after ?? 0) || random() >= (fault.probability ?? 1)) return false;
    one.hits += 1;
    if (one.hits === fault.times) armed = armed.filter((other) => other !== one);
    return true;
  }

  aws.use((service, request, response, next) => {
    const operation = operationOf(service, request);
    const due = armed.find((one) => isDue(one, service, operation, request.url ?? "/"));
    if (due === undefined) next(request, response);
    else void meet(due.fault, operation, request, response, next, random);
  });
  return {
    add(fault: Fault) {
      const one: Armed = { fault, seen: 0, hits: 0 };
      armed.push(one);
      return {
        /** Requests hit so far: lets a test prove that its fault took place. */
        hits: () => one.hits,
        remove: (): void => {
          armed = armed.filter((other) => other !== one);
        },
      };
    },
    /** Removes every fault. */
    clear(): void {
      armed = [];
    },
  };
}

async function meet(
  { service, kind, delayMs }: Fault,
  operation: string,
  request: IncomingMessage,
  response: ServerResponse,
  next: RequestListener,
  random: () => number,
): Promise<void> {
  if (kind === "down") return void response.destroy();
  // Read to the end first: a connection whose request is left half read resets under the answer.
  const body = await buffer(request);
  const split = splits[operation];
  const part = kind === "partial" && split !== undefined ? split(JSON.parse(body.toString()), random) : undefined;
  if (kind === "throttle" || kind === "error" || part === "throttle") {
    fail(service, kind === "error" ? "error" : "throttle", response);
  } else if (kind === "delay") {
    await delay(delayMs);
    next(withBody(request, body), response);
  } else if (part === undefined) {
    await answerTo(next, withBody(request, body));
    response.destroy();
  } else {
    const done = part.rest === undefined ? "{}" : await answerTo(next, withBody(request, JSON.stringify(part.rest)));
    response.writeHead(200, { "content-type": TYPE }).end(JSON.stringify(part.answer(JSON.parse(done))));
  }
}

const TYPE = "application/x-amz-json-1.0";

/** What each service says itself: status and code. */
const ANSWERS: Record<Service, Record<"throttle" | "error", readonly [number, string]>> = {
  dynamodb: {
    throttle: [400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"],
    error: [500, "com.amazonaws.dynamodb.v20120810#InternalServerError"],
  },
  eventbridge: { throttle: [400, "ThrottlingException"], error: [500, "InternalException"] },
  s3: { throttle: [503, "SlowDown"], error: [500, "InternalError"] },
  secretsmanager: { throttle: [400, "ThrottlingException"], error: [500, "InternalServiceError"] },
  sqs: { throttle: [400, "com.amazonaws.sqs#RequestThrottled"], error: [500, "com.amazonaws.sqs#InternalFailure"] },
};

function fail(service: Service, kind: "throttle" | "error", response: ServerResponse): void {
  const [status, code] = ANSWERS[service][kind];
  const body =
    service === "s3"
      ? `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>No</Message></Error>`
      : JSON.stringify({ __type: code, message: "No" });
  response.writeHead(status, { "content-type": service === "s3" ? "application/xml" : TYPE }).end(body);
}

/** The same request with a body that is in memory already. */
export function withBody(request: IncomingMessage, body: Buffer | string): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  const { "transfer-encoding": _chunked, ...headers } = request.headers;
  copy.method = request.method ?? "POST";
  copy.url = request.url ?? "/";
  copy.httpVersion = request.httpVersion;
  copy.headers = { ...headers, "content-length": String(Buffer.byteLength(body)) };
  copy.complete = true;
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}

/** Lets a service do its work to the end, without anybody being told. */
function answerTo(next: RequestListener, request: IncomingMessage): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const response = new ServerResponse(request);
  const chunks: Buffer[] = [];
  const collect = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
  };
  Object.assign(response, {
    write(chunk: unknown): boolean {
      collect(chunk);
      return true;
    },
    end(chunk?: unknown): ServerResponse {
      collect(chunk);
      process.nextTick(() => response.emit("finish"));
      resolve(Buffer.concat(chunks).toString());
      return response;
    },
  });
  next(request, response);
  return promise;
}
