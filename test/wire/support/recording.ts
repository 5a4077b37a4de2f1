import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** One request to AWS: who signed it, what it asked for and of what. */
export interface RecordedCall {
  /** Access key: each function has its own here, as it has its own role in the account. */
  caller: string;
  /** The IAM action that allows it. */
  action: string;
  /** Table, or table and index; name of the secret. */
  resource: string;
}

/** Stands before an embedded service that speaks AWS JSON, and passes everything on. */
export async function recordCalls(service: "dynamodb" | "secretsmanager", endpoint: string) {
  const calls: RecordedCall[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const caller = /Credential=([^/,\s]+)/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    for (const resource of resourcesOf(JSON.parse(body.toString() || "{}"))) {
      calls.push({ caller, action: `${service}:${operation}`, resource });
    }
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    const answer = await fetch(new URL(request.url ?? "/", endpoint), {
      method: request.method ?? "POST",
      headers: headers as Record<string, string>,
      body: new Uint8Array(body),
    });
    const { "content-encoding": ____, "transfer-encoding": _____, ...kept } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    calls,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface Input {
  TableName?: string;
  IndexName?: string;
  RequestItems?: Record<string, unknown>;
  SecretId?: string;
}

function resourcesOf({ TableName, IndexName, RequestItems, SecretId }: Input): string[] {
  if (RequestItems !== undefined) return Object.keys(RequestItems);
  if (SecretId !== undefined) return [SecretId];
  return [IndexName === undefined ? `${TableName}` : `${TableName}/index/${IndexName}`];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
