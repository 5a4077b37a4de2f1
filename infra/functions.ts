import { join } from "node:path";
import { Duration, RemovalPolicy, Stage } from "aws-cdk-lib";
import { type PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Architecture,
  type CfnFunction,
  Code,
  type FunctionProps,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { ConfigInput } from "../lib/config/index.ts";
import { INVOCATION } from "../lib/config/invocation.ts";
import { bundleFunction, type FunctionName } from "./bundle.ts";
import { may, useKey } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";
import { NETWORK_WILDCARD, type Network, networkStatements } from "./network.ts";

export interface FunctionSurroundings {
  logDays: number;
  /** MB. */
  memory: number;
  tracing: boolean;
  /** Of its environment, its log and the dead-letter queue. */
  encryptionKey?: IKey | undefined;
  /** Undefined outside of any VPC. */
  network?: Network | undefined;
}

interface LambdaFunctionProps extends FunctionSurroundings {
  description: string;
  /** Purpose of its role, as the console shows it. */
  roleDescription: string;
  code: Code;
  environment: Record<string, string>;
  /** Everything it may do beside writing its logs, its traces and what failed. */
  statements: readonly PolicyStatement[];
  /** Where it puts what it gives up. */
  deadLetters: IQueue;
  settings: Pick<FunctionProps, "timeout" | "maxEventAge" | "retryAttempts" | "onFailure">;
  /** Why it has no dead-letter queue of Lambda's own. */
  noDeadLetters: string;
}

/** A function with a log and a role of its own. `name` begins the names of all three. */
export function createFunction(scope: Construct, name: string, props: LambdaFunctionProps): LambdaFunction {
  const { code, environment, statements, deadLetters, logDays, memory, tracing, encryptionKey, network } = props;
  const logGroup = new LogGroup(scope, `${name}Logs`, {
    // The period was checked against the ones CloudWatch Logs offers, which is what the enumeration lists.
    retention: logDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    encryptionKey,
  });
  const role = new Role(scope, `${name}Role`, {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    description: props.roleDescription,
  });
  for (const statement of [
    ...statements,
    may("ReportFailures", ["sqs:SendMessage"], deadLetters.queueArn),
    may("WriteLogs", ["logs:CreateLogStream", "logs:PutLogEvents"], logGroup.logGroupArn),
    ...useKey("EncryptMessages", encryptionKey, "send-messages"),
    ...useKey("DecryptEnvironment", encryptionKey, "read-environment"),
    ...networkStatements(network),
    ...(tracing ? [may("WriteTraces", ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*")] : []),
  ]) {
    role.addToPolicy(statement);
  }
  const mayAll = (reason: string): void => acknowledgeFinding(role, { id: "AwsSolutions-IAM5[Resource::*]", reason });
  if (network !== undefined) mayAll(NETWORK_WILDCARD);
  if (tracing) mayAll("X-Ray knows no resources for these two actions, which can only add traces.");
  const made = new LambdaFunction(scope, name, {
    ...network,
    ...props.settings,
    description: props.description,
    code,
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: memory,
    environment: {
      ...environment,
      NODE_OPTIONS: "--enable-source-maps",
      // Else each thread of V8 keeps for itself what it once needed to compile something: up to 30 MB.
      MALLOC_ARENA_MAX: "1",
    },
    environmentEncryption: encryptionKey,
    ...(tracing ? { tracing: Tracing.ACTIVE } : {}),
    logGroup,
    // Helpers of the library would widen the policy: every statement stands above, or comes from the caller.
    role: role.withoutPolicyUpdates(),
  });
  acknowledgeFinding(made, { id: "Serverless-LambdaDLQ", reason: props.noDeadLetters });
  if (!tracing) {
    const reason = "Each tick says in the log what it came to; with the construct's tracing its traces are kept too.";
    acknowledgeFinding(made, { id: "Serverless-LambdaTracing", reason });
  }
  return made;
}

interface PollFunctionProps
  extends FunctionSurroundings,
    Pick<LambdaFunctionProps, "environment" | "statements" | "deadLetters"> {
  /** The raw configuration; it travels in the bundle, since environment variables are limited to 4 KB. */
  config: ConfigInput;
}

/**
 * The one function that polls. It has no reserved concurrency: a new account has 10 executions in all, and any reservation fails there.
 * Failures are not retried: the next tick does the same work, with fresher news.
 */
export function createPollFunction(scope: Construct, { config, ...props }: PollFunctionProps): LambdaFunction {
  const made = createFunction(scope, "Poll", {
    ...props,
    description: "Polls the survey service and publishes each completed response as one event",
    roleDescription: "What the survey poller's function may do",
    code: Code.fromAsset(bundleInto(scope, "poll", config)),
    settings: {
      timeout: Duration.millis(INVOCATION),
      maxEventAge: Duration.seconds(60),
      retryAttempts: 0,
      onFailure: new SqsDestination(props.deadLetters),
    },
    noDeadLetters: "What fails goes to the dead-letter queue as a failure destination, which says more.",
  });
  // Of the bundle a change shows as another hash alone: here `cdk diff --method=template` shows the field. In a list it shows values too.
  (made.node.defaultChild as CfnFunction).addMetadata("survey-poller:configuration", [withoutQueries(config)]);
  return made;
}

/** The query of a webhook's address may hold a key. */
function withoutQueries({ webhooks = [], ...config }: ConfigInput): ConfigInput {
  return { ...config, webhooks: webhooks.map((one) => ({ ...one, url: one.url.replace(/\?.*/, "?…") })) };
}

/** Inside the assembly, so that two syntheses at the same time never share a folder. */
export function bundleInto(scope: Construct, name: FunctionName, config: unknown): string {
  const outDir = join(Stage.of(scope)?.assetOutdir ?? "cdk.out", "bundles", `${scope.node.addr}-${name}`);
  bundleFunction(name, outDir, config);
  return outDir;
}
