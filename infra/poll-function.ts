import { join } from "node:path";
import { Duration, RemovalPolicy, Stage } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { INVOCATION } from "../lib/config/invocation.ts";
import { acknowledge, acknowledgeInlinePolicy, acknowledgeOwnKey } from "./acknowledge.ts";
import { bundleFunction } from "./bundle.ts";
import { useKey } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";
import { acknowledgeNetworkWildcard, type Network, networkStatements } from "./network.ts";

export interface PollFunctionProps {
  /** The raw configuration; it travels in the bundle, since environment variables are limited to 4 KB. */
  config: unknown;
  environment: Record<string, string>;
  /** Everything it may do beside writing its logs, its traces and what failed. */
  statements: readonly PolicyStatement[];
  deadLetters: IQueue;
  logDays: number;
  /** MB. */
  memory: number;
  tracing: boolean;
  /** Of its environment, its log and the dead-letter queue. */
  encryptionKey?: IKey | undefined;
  /** Undefined outside of any VPC. */
  network?: Network | undefined;
}

/**
 * The one function. It has no reserved concurrency (a new account has 10 executions in all, and any reservation fails
 * there), and failures are not retried: the next tick does the same work, with fresher news.
 */
export function createPollFunction(scope: Construct, props: PollFunctionProps): LambdaFunction {
  const { config, environment, statements, deadLetters, logDays, memory, tracing, encryptionKey, network } = props;
  const logGroup = new LogGroup(scope, "PollLogs", {
    // The period was checked against the ones CloudWatch Logs offers, which is what the enumeration lists.
    retention: logDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  });
  const role = new Role(scope, "PollRole", {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    description: "What the survey poller's function may do",
  });
  for (const statement of [
    ...statements,
    allow("ReportFailures", ["sqs:SendMessage"], deadLetters.queueArn),
    allow("WriteLogs", ["logs:CreateLogStream", "logs:PutLogEvents"], logGroup.logGroupArn),
    ...useKey("EncryptMessages", encryptionKey, "send-messages"),
    ...useKey("DecryptEnvironment", encryptionKey, "read-environment"),
    ...networkStatements(network),
    ...(tracing ? [allow("WriteTraces", ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*")] : []),
  ]) {
    role.addToPolicy(statement);
  }
  if (network !== undefined) acknowledgeNetworkWildcard(role);
  if (tracing) acknowledgeTraceWildcard(role);
  acknowledgeInlinePolicy(role);
  acknowledgeOwnKey(logGroup, "CloudWatchLogGroupEncrypted", encryptionKey);
  const made = new LambdaFunction(scope, "Poll", {
    ...network,
    description: "Polls the survey service and publishes each completed response as one event",
    code: Code.fromAsset(bundleInto(scope, config)),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: memory,
    timeout: Duration.millis(INVOCATION),
    maxEventAge: Duration.seconds(60),
    retryAttempts: 0,
    onFailure: new SqsDestination(deadLetters),
    environment,
    ...(encryptionKey === undefined ? {} : { environmentEncryption: encryptionKey }),
    ...(tracing ? { tracing: Tracing.ACTIVE } : {}),
    logGroup,
    // Helpers of the library would widen the policy: every statement stands above, or comes from the caller.
    role: role.withoutPolicyUpdates(),
  });
  acknowledgeForFunction(made, { network, tracing });
  return made;
}

function allow(sid: string, actions: string[], resource: string): PolicyStatement {
  return new PolicyStatement({ sid, actions, resources: [resource] });
}

function acknowledgeForFunction(made: Construct, { network, tracing }: Pick<PollFunctionProps, "network" | "tracing">) {
  const deadLetters =
    "What fails goes to the dead-letter queue as a failure destination, which says more than a dead letter.";
  acknowledge(made, {
    LambdaConcurrency:
      "Leases keep it to two at work a source, and a reservation fails in an account that has ten executions.",
    LambdaDLQ: deadLetters,
  });
  acknowledgeFinding(made, { id: "Serverless-LambdaDLQ", reason: deadLetters });
  if (network === undefined) {
    acknowledge(made, {
      LambdaInsideVPC:
        "All that it calls is on the internet and it listens to nobody; with the construct's vpc it is inside.",
    });
  }
  if (!tracing) {
    const reason = "Each tick says in the log what it came to; with the construct's tracing its traces are kept too.";
    acknowledgeFinding(made, { id: "Serverless-LambdaTracing", reason });
  }
}

function acknowledgeTraceWildcard(role: Construct): void {
  acknowledgeFinding(role, {
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "X-Ray knows no resources for these two actions, which can only add traces.",
  });
}

/** Inside the assembly, so that two syntheses at the same time never share a folder. */
function bundleInto(scope: Construct, config: unknown): string {
  const outDir = join(Stage.of(scope)?.assetOutdir ?? "cdk.out", "bundles", `${scope.node.addr}-poll`);
  bundleFunction("poll", outDir, config);
  return outDir;
}
