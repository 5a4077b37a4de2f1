import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SurveyPollerStack } from "../../infra/stack.ts";
import { parseConfig } from "../../lib/config/index.ts";
import { startEmbeddedAws } from "../../local/aws/index.ts";
import { loadHandlers } from "../../local/runner/load-handlers.ts";
import { startSimulator } from "../../local/simulator/index.ts";
import { allowedBy } from "../infra/support/policies.ts";
import { removeTemporaryFolders, temporaryFolder } from "../infra/support/temporary-folder.ts";
import { recordCalls } from "./support/recording.ts";

/** What never shows up among a function's own calls: Lambda does it in its name, or S3 looks at the right to list before it tells that a key is missing. */
const BY_OTHERS = ["WriteLogs", "ReportFailures", "TakeSlices", "TellMissing"];

/** Resources of the template by the names that the same things have on one machine. */
const LOCAL_NAMES: Record<string, string> = {
  Table: "survey-poller",
  "Table/index/due": "survey-poller/index/due",
  Credentialsmain: "survey-poller/main/credentials",
  Tokenmain: "survey-poller/main/token",
};

afterAll(removeTemporaryFolders);

/** Of these services each call is told with its resource; the others' policies name one resource for each action. */
const TOLD_APART = /^(dynamodb|secretsmanager):/;

type Calls = Record<"poll" | "pollSurvey", Set<string>>;

/** How often the situations come again, since which of two takes a lease, and how far a slice comes, is a matter of time. */
const ROUNDS = 6;

/**
 * The bundled functions at work over an embedded AWS, each with an access key of its own, in every situation that makes them ask for
 * more; until all that is allowed was asked for, or the rounds are over.
 */
async function recordEverything(allowed: Calls): Promise<Calls> {
  await using cleanUp = new AsyncDisposableStack();
  const simulator = await startSimulator({ surveys: [{ surveyId: 1, responses: 6 }] });
  cleanUp.defer(() => simulator.close());
  const dataDir = temporaryFolder();
  const aws = await startEmbeddedAws({ dataDir });
  cleanUp.defer(() => aws.close());
  Object.assign(process.env, aws.env);
  // Every answer is too large for its event.
  const source = { baseUrl: simulator.url, startFrom: "beginning", inlineLimit: "1KB", interval: "4s" };
  const raw = { sources: [source] };
  const handlers = await loadHandlers({ raw, config: parseConfig(raw, { deployed: false }) }, dataDir, () => simulator);
  const dynamodb = await recordCalls("dynamodb", aws.endpoints.dynamodb);
  cleanUp.use(dynamodb);
  const secrets = await recordCalls("secretsmanager", aws.endpoints.secretsmanager);
  cleanUp.use(secrets);
  process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.endpoint;
  process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = secrets.endpoint;

  const context = { awsRequestId: "one", getRemainingTimeInMillis: () => 60_000 };
  // The clients of a function read the key when it is invoked first, and keep it.
  const poll = (input: object = {}) => {
    process.env.AWS_ACCESS_KEY_ID = "poll";
    return handlers.poll(input, context);
  };
  const sqs = new SQSClient({ credentials: { accessKeyId: "lambda", secretAccessKey: "lambda" } });
  cleanUp.defer(() => sqs.destroy());
  const queue = { QueueUrl: handlers.workQueueUrl };
  const work = async (): Promise<void> => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ ...queue, MaxNumberOfMessages: 10 }));
    process.env.AWS_ACCESS_KEY_ID = "pollSurvey";
    for (const { MessageId: messageId = "", Body: body = "", ReceiptHandle } of Messages) {
      const event = { Records: [{ messageId, body }] };
      // Delivered twice: one of them finds the lease taken.
      const answers = await Promise.all([handlers.pollSurvey(event, context), handlers.pollSurvey(event, context)]);
      expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
      await sqs.send(new DeleteMessageCommand({ ...queue, ReceiptHandle }));
    }
  };
  const calls = (): Calls => {
    const found: Calls = { poll: new Set(), pollSurvey: new Set() };
    const isFunction = (caller: string): caller is keyof Calls => Object.hasOwn(found, caller);
    for (const { caller, action, resource } of [...dynamodb.calls, ...secrets.calls]) {
      if (isFunction(caller)) found[caller].add(`${action} ${resource}`);
    }
    for (const { accessKeyId, action } of aws.operations()) {
      if (isFunction(accessKeyId) && !TOLD_APART.test(action)) found[accessKeyId].add(action);
    }
    return found;
  };

  await poll();
  // Records lie apart, and nothing gives a response whole: these are held.
  simulator.set({ layout: "scattered" });
  simulator.fault({ kind: "status", status: 404, operation: "response" });
  // Some responses wait.
  simulator.fault({ kind: "status", status: 500, operation: "metadata", probability: 0.3 });
  for (let round = 0; round < ROUNDS; round += 1) {
    simulator.complete(1, 3);
    simulator.addSurvey({ surveyId: 10 + round, responses: 1_000 });
    await Promise.all([poll(), poll()]);
    // The first of whoever comes next asks for a new one; not more often, as a service that refuses every token is left alone.
    if (round < 2) simulator.revokeToken();
    for (let slices = 0; slices < 3; slices += 1) {
      await work();
      await poll();
    }
    const now = calls();
    if (holds(now.poll, allowed.poll) && holds(now.pollSurvey, allowed.pollSurvey)) break;
  }
  await poll({ source: "main", redrive: [1] });
  return calls();
}

const holds = (all: Set<string>, some: Set<string>): boolean => [...some].every((one) => all.has(one));

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

describe("what the code asks of AWS is what its policy allows, nothing missing and nothing unused:", () => {
  let allowed: Calls;
  let calls: Calls;

  beforeAll(async () => {
    const config = { sources: [{ baseUrl: "https://surveys.example.com" }] };
    const stack = new SurveyPollerStack(new App({ outdir: temporaryFolder() }), "Test", { config });
    const template = Template.fromStack(stack);
    allowed = {
      poll: allowedFor(template, "PollerPollRole"),
      pollSurvey: allowedFor(template, "PollerPollSurveyRole"),
    };
    calls = await recordEverything(allowed);
  }, 500_000);

  it.each([
    ["the scheduled function", "poll"],
    ["the worker", "pollSurvey"],
  ] as const)("%s", (_, caller) => {
    expect([...calls[caller]].sort()).toEqual([...allowed[caller]].sort());
  });
});
