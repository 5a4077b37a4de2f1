import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";

export interface Aws {
  events: EventBridgeClient;
  secrets: SecretsManagerClient;
  sqs: SQSClient;
  /** What a function answers, or how it failed. */
  invoke(functionName: string, payload?: unknown): Promise<Invocation>;
  /** Starts a function as its schedule does, and does not wait for it. */
  start(functionName: string, payload: unknown): Promise<void>;
  /** What CloudWatch answers to an operation such as `DescribeAlarms`. */
  cloudWatch<T>(operation: string, input: object): Promise<T>;
  /** Every message of a log group, oldest first. */
  logs(group: string): Promise<string[]>;
  /** Every item of a table. */
  items(table: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

export interface Invocation {
  failed: boolean;
  payload: unknown;
}

/**
 * The services of the emulator, as its user.
 *
 * @param accessKeyId twelve digits stand for the account with this number
 */
export function createAws(url: string, accessKeyId = "test"): Aws {
  const options = {
    endpoint: url,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey: "test" },
  };
  const events = new EventBridgeClient(options);
  const secrets = new SecretsManagerClient(options);
  const sqs = new SQSClient(options);
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(options));
  const send = (service: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> =>
    request(url, accessKeyId, service, path, body, headers);
  return {
    events,
    secrets,
    sqs,
    async invoke(functionName, payload = {}) {
      const answer = await send("lambda", `/2015-03-31/functions/${functionName}/invocations`, payload, {});
      return { failed: answer.headers.has("x-amz-function-error"), payload: await answer.json() };
    },
    async start(functionName, payload) {
      const headers = { "X-Amz-Invocation-Type": "Event" };
      await send("lambda", `/2015-03-31/functions/${functionName}/invocations`, payload, headers);
    },
    async cloudWatch<T>(operation: string, input: object) {
      const answer = await send("monitoring", "/", input, {
        "X-Amz-Target": `GraniteServiceVersion20100801.${operation}`,
        "Content-Type": "application/x-amz-json-1.0",
      });
      return (await answer.json()) as T;
    },
    async logs(group) {
      const messages: string[] = [];
      let nextToken: string | undefined;
      do {
        const answer = await send(
          "logs",
          "/",
          { logGroupName: group, nextToken },
          { "X-Amz-Target": "Logs_20140328.FilterLogEvents", "Content-Type": "application/x-amz-json-1.1" },
        );
        const page = (await answer.json()) as { events?: { message: string }[]; nextToken?: string };
        messages.push(...(page.events ?? []).map(({ message }) => message));
        nextToken = page.nextToken;
      } while (nextToken !== undefined);
      return messages;
    },
    async items(table) {
      const found: Record<string, unknown>[] = [];
      let from: Record<string, unknown> | undefined;
      do {
        const page = await dynamodb.send(new ScanCommand({ TableName: table, ExclusiveStartKey: from }));
        found.push(...(page.Items ?? []));
        from = page.LastEvaluatedKey;
      } while (from !== undefined);
      return found;
    },
    close() {
      for (const client of [events, secrets, sqs, dynamodb]) client.destroy();
    },
  };
}

/** A request to a service that the project has no SDK client of. The emulator asks for no more of a signature than its scope. */
async function request(
  url: string,
  accessKeyId: string,
  service: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  const scope = `${accessKeyId}/20260101/us-east-1/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { ...headers, Authorization: authorization },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${service} answers ${answer.status}: ${await answer.text()}`);
  return answer;
}
