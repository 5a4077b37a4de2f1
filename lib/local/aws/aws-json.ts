import { randomUUID } from "node:crypto";
import type { RequestListener, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { parseJson } from "../../secrets/secret-values.ts";

/** The account that fauxqs and dynalite build into their ARNs: all services must agree on one. */
export const ACCOUNT = "000000000000";

export const REGION = "us-east-1";

/** An error as an AWS service reports it: the SDK raises it under `code` as its name. */
export class AwsError extends Error {
  override readonly name = "AwsError";
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export type Operation = (input: unknown) => unknown | Promise<unknown>;

/**
 * One operation of a service: its input is checked against the schema before `run` sees it.
 *
 * @param invalidCode the service's error code for an input that is not as documented
 */
export function operation<T>(
  schema: z.ZodType<T>,
  run: (input: T) => unknown | Promise<unknown>,
  invalidCode = "ValidationException",
): Operation {
  return (input) => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) throw new AwsError(invalidCode, z.prettifyError(parsed.error));
    return run(parsed.data);
  };
}

/** A request handler for the AWS JSON 1.1 protocol: the operation's name comes in a header, in and output are JSON. */
export function awsJsonHandler(target: string, operations: Readonly<Record<string, Operation>>): RequestListener {
  return (request, response) => {
    const name = String(request.headers["x-amz-target"] ?? "");
    const prefix = `${target}.`;
    const short = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    const run = Object.hasOwn(operations, short) ? operations[short] : undefined;
    buffer(request)
      .then(async (body) => {
        if (run === undefined) throw new AwsError("UnknownOperationException", `${name} is not offered here.`);
        const input = body.length === 0 ? {} : parseJson(body.toString("utf8"));
        if (input === undefined) throw new AwsError("SerializationException", "The request body is not JSON.");
        sendJson(response, 200, (await run(input)) ?? {});
      })
      .catch((error: unknown) => {
        if (response.headersSent || response.destroyed) response.destroy();
        else if (error instanceof AwsError) {
          sendJson(response, error.status, { __type: error.code, message: error.message });
        } else sendJson(response, 500, { __type: "InternalFailure", message: String(error) });
      });
  };
}

export function sendJson(response: ServerResponse, status: number, output: unknown): void {
  const body = JSON.stringify(output);
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.1",
    "content-length": Buffer.byteLength(body),
    "x-amzn-requestid": randomUUID(),
  });
  response.end(body);
}
