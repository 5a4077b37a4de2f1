import { buffer } from "node:stream/consumers";
import type { EmbeddedAws, Service } from "../../../lib/local/aws/index.ts";
import { withBody } from "../../support/aws/faults.ts";
import { operationOf } from "../../support/aws/operation.ts";

/** Of these each call is told with its resource; the others' policies name one resource for each action. */
export const TOLD_APART = /^(dynamodb|secretsmanager):/;

/** Where the prefix of the actions is not the name of the service. */
const PREFIXES: Partial<Record<Service, string>> = { eventbridge: "events" };
/** Where the action that allows an operation is not named like it. */
const ACTIONS: Record<string, string> = {
  HeadObject: "GetObject",
  ListObjectsV2: "ListBucket",
  DeleteObjects: "DeleteObject",
};

/** Gathers the IAM actions that allow what is asked of an embedded AWS from now on. */
export function recordActions(aws: EmbeddedAws): Set<string> {
  const actions = new Set<string>();
  aws.use(async (service, request, response, next) => {
    const operation = operationOf(service, request);
    const action = `${PREFIXES[service] ?? service}:${ACTIONS[operation] ?? operation}`;
    const body = await buffer(request);
    if (!TOLD_APART.test(action)) actions.add(action);
    else for (const resource of resourcesOf(JSON.parse(body.toString()))) actions.add(`${action} ${resource}`);
    next(withBody(request, body), response);
  });
  return actions;
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
