import { join } from "node:path";
import { Duration, RemovalPolicy, Stage } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Architecture, Code, type FunctionProps, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { bundleFunction, type FunctionName } from "./bundle.ts";
import { useKey } from "./encryption.ts";
import { acknowledgeNetworkWildcard, type Network, networkStatements } from "./network.ts";
import { WORKER_TIMEOUT } from "./work-queue.ts";

export interface PollerFunctionProps {
  /** The raw configuration; it travels in the bundle, since environment variables are limited to 4 KB. */
  config: unknown;
  environment: Record<string, string>;
  /** Everything it may do beside writing its logs and what is stated here. */
  statements: readonly PolicyStatement[];
  logDays: number;
  /** Of its queues and its log. */
  encryptionKey?: IKey | undefined;
  /** Undefined outside of any VPC. */
  network?: Network | undefined;
}

/**
 * The scheduled function. It has no reserved concurrency (a new account has 10 executions in all, and any reservation fails
 * there), and failures are not retried: the next tick does the same work, with fresher news.
 */
export function createPollFunction(
  scope: Construct,
  { deadLetters, workQueue, ...props }: PollerFunctionProps & { deadLetters: IQueue; workQueue: IQueue },
): LambdaFunction {
  return createFunction(scope, "Poll", "poll", {
    ...props,
    description: "Polls the survey service and publishes each completed response as one event",
    statements: [
      ...props.statements,
      allow("ReportFailures", ["sqs:SendMessage"], deadLetters.queueArn),
      allow("QueueSlices", ["sqs:SendMessage"], workQueue.queueArn),
      ...useKey("EncryptMessages", props.encryptionKey, "send-messages"),
    ],
    timeout: Duration.minutes(5),
    maxEventAge: Duration.seconds(60),
    retryAttempts: 0,
    onFailure: new SqsDestination(deadLetters),
  });
}

/** Surveys that are caught up at the same time: each keeps up to `concurrency` requests in flight. */
const SLICES_AT_ONCE = 2;

/** The worker of the queue: one slice of a survey's catch-up an invocation. */
export function createWorkerFunction(
  scope: Construct,
  { workQueue, ...props }: PollerFunctionProps & { workQueue: IQueue },
): LambdaFunction {
  const worker = createFunction(scope, "PollSurvey", "poll-survey", {
    ...props,
    description: "Catches one survey up, a slice at a time",
    statements: [
      ...props.statements,
      allow("TakeSlices", ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], workQueue.queueArn),
      ...useKey("DecryptMessages", props.encryptionKey, "receive-messages"),
    ],
    timeout: WORKER_TIMEOUT,
  });
  worker.addEventSource(
    new SqsEventSource(workQueue, { batchSize: 1, maxConcurrency: SLICES_AT_ONCE, reportBatchItemFailures: true }),
  );
  return worker;
}

type Specifics = PollerFunctionProps &
  Pick<FunctionProps, "description" | "maxEventAge" | "retryAttempts" | "onFailure"> & {
    timeout: Duration;
  };

function createFunction(
  scope: Construct,
  id: string,
  name: FunctionName,
  { config, environment, statements, logDays, encryptionKey, network, ...specifics }: Specifics,
): LambdaFunction {
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    // The period was checked against the ones CloudWatch Logs offers, which is what the enumeration lists.
    retention: logDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  });
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    description: `What the survey poller's ${name} function may do`,
  });
  for (const statement of [...statements, ...networkStatements(network)]) role.addToPolicy(statement);
  role.addToPolicy(allow("WriteLogs", ["logs:CreateLogStream", "logs:PutLogEvents"], logGroup.logGroupArn));
  if (network !== undefined) acknowledgeNetworkWildcard(role);
  return new LambdaFunction(scope, id, {
    ...specifics,
    ...network,
    code: Code.fromAsset(bundleInto(scope, name, config)),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: 512,
    environment,
    logGroup,
    // Helpers of the library would widen the policy: every statement stands above, or comes from the caller.
    role: role.withoutPolicyUpdates(),
  });
}

function allow(sid: string, actions: string[], resource: string): PolicyStatement {
  return new PolicyStatement({ sid, actions, resources: [resource] });
}

/** Inside the assembly, so that two syntheses at the same time never share a folder. */
function bundleInto(scope: Construct, name: FunctionName, config: unknown): string {
  const outDir = join(Stage.of(scope)?.assetOutdir ?? "cdk.out", "bundles", `${scope.node.addr}-${name}`);
  bundleFunction(name, outDir, config);
  return outDir;
}
