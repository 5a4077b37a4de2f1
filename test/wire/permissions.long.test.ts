import { buffer } from "node:stream/consumers";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { type EmbeddedAws, type Service, startEmbeddedAws } from "../../lib/local/aws/index.ts";
import { loadFunction } from "../../lib/local/runner/load-function.ts";
import { startSimulator } from "../../lib/local/simulator/index.ts";
import type { PollInput } from "../../lib/run/poll-input.ts";
import { allowedBy } from "../infra/support/policies.ts";
import { temporaryFolder } from "../infra/support/temporary-folder.ts";
import { withBody } from "../support/aws/faults.ts";
import { operationOf } from "../support/aws/operation.ts";

/** Of these each call is told with its resource; the others' policies name one resource for each action. */
const TOLD_APART = /^(dynamodb|secretsmanager):/;

/** Where the prefix of the actions is not the name of the service. */
const PREFIXES: Partial<Record<Service, string>> = { eventbridge: "events" };
/** Where the action that allows an operation is not named like it. */
const ACTIONS: Record<string, string> = {
  HeadObject: "GetObject",
  ListObjectsV2: "ListBucket",
  DeleteObjects: "DeleteObject",
};

/** Gathers the IAM actions that allow what is asked of an embedded AWS from now on. */
function recordActions(aws: EmbeddedAws): Set<string> {
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

/** What never shows up among a function's own calls: Lambda does it in its name, or S3 looks at the right to list before it tells that a key is missing. */
const BY_OTHERS = ["WriteLogs", "ReportFailures", "TellMissing"];

/** Resources of the template by the names that the same things have on one machine. */
const LOCAL_NAMES: Record<string, string> = {
  Table: "survey-poller",
  "Table/index/due": "survey-poller/index/due",
  Credentialsmain: "survey-poller/main/credentials",
  Tokenmain: "survey-poller/main/token",
};

/** How often the situations come again, since which of two takes a lease, and how far a tick comes by itself, is a matter of time. */
const ROUNDS = 6;

/**
 * The bundled function at work over an embedded AWS, in every situation that makes it ask for more; until all that is allowed was asked for, or
 * the rounds are over. Gives actions, with their resource where these are told apart.
 */
async function recordEverything(allowed: Set<string>): Promise<Set<string>> {
  await using cleanUp = new AsyncDisposableStack();
  const simulator = await startSimulator({ surveys: [{ surveyId: 1, responses: 6 }] });
  cleanUp.defer(() => simulator.close());
  const dataDir = temporaryFolder();
  const aws = await startEmbeddedAws({ dataDir });
  cleanUp.defer(() => aws.close());
  Object.assign(process.env, aws.env);
  // Every answer is too large for its event.
  const source = { baseUrl: simulator.url, startFrom: "beginning", advanced: { inlineLimit: "1KB" }, interval: "4s" };
  const raw = { sources: [source] };
  const { invoke, kill } = await loadFunction(
    { raw, config: parseConfig(raw, { deployed: false }) },
    { dataDir, aws: aws.env },
    () => simulator,
  );
  cleanUp.defer(async () => void (await kill()));
  // What was asked for so far, the stack makes.
  const asked = recordActions(aws);
  const { signal } = new AbortController();
  const poll = (input: PollInput = {}) => invoke(input, signal);

  await poll();
  // One waits whose records are too large for the table: they lie in the bucket until it goes out.
  simulator.complete(1, 1, { records: 4, commentBytes: 60_000, metadata: { fail: 4 } });
  for (let tries = 0; tries < 10 && !asked.has("s3:DeleteObject"); tries += 1) await poll();
  // Records lie apart, and nothing gives a response whole: these are held.
  simulator.set({ layout: "scattered" });
  simulator.fault({ kind: "status", status: 404, operation: "response" });
  // Some responses wait.
  simulator.fault({ kind: "status", status: 500, operation: "metadata", probability: 0.3 });
  for (let round = 0; round < ROUNDS; round += 1) {
    simulator.complete(1, 3);
    simulator.addSurvey({ surveyId: 10 + round, responses: 400 });
    await Promise.all([poll(), poll()]);
    // The first of whoever comes next asks for a new one; not more often, as a service that refuses every token is left alone.
    if (round < 2) simulator.revokeToken();
    if ([...allowed].every((one) => asked.has(one))) break;
  }
  await poll({ source: "main", operation: { kind: "redrive", surveyIds: [1] } });
  return asked;
}

/** What a policy allows, but for what others need. */
function allowedFor(template: Template, role: string): Set<string> {
  const statements = Object.entries(allowedBy(template, role)).filter(([sid]) => !BY_OTHERS.includes(sid));
  const pairs = statements.flatMap(([, { actions, resources }]) =>
    actions.flatMap((action) =>
      resources.map((name) => (TOLD_APART.test(action) ? `${action} ${LOCAL_NAMES[name] ?? name}` : action)),
    ),
  );
  return new Set(pairs);
}

it("what the code asks of AWS is what its policy allows, nothing missing and nothing unused", async () => {
  const config = { sources: [{ baseUrl: "https://surveys.example.com" }] };
  const stack = new SurveyPollerStack(new App({ outdir: temporaryFolder() }), "Test", { config });
  const allowed = allowedFor(Template.fromStack(stack), "PollerPollRole");
  expect([...(await recordEverything(allowed))].sort()).toEqual([...allowed].sort());
}, 500_000);
