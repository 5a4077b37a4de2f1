import { join } from "node:path";
import { Duration, RemovalPolicy, Stage } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { bundleFunction } from "./bundle.ts";

export interface PollFunctionProps {
  /** The raw configuration; it travels in the bundle, since environment variables are limited to 4 KB. */
  config: unknown;
  environment: Record<string, string>;
  /** Everything it may do beside writing its logs and reporting its failures. */
  statements: readonly PolicyStatement[];
  deadLetters: IQueue;
  logDays: number;
}

/**
 * The scheduled function. It has no reserved concurrency (a new account has 10 executions in all, and any reservation fails
 * there), and failures are not retried: the next tick does the same work, with fresher news.
 */
export function createPollFunction(scope: Construct, props: PollFunctionProps): LambdaFunction {
  const logGroup = new LogGroup(scope, "PollLogs", {
    // The period was checked against the ones CloudWatch Logs offers, which is what the enumeration lists.
    retention: props.logDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, "PollRole", {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    description: "What the survey poller's scheduled function may do",
  });
  for (const statement of props.statements) role.addToPolicy(statement);
  role.addToPolicy(
    new PolicyStatement({
      sid: "WriteLogs",
      actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
      resources: [logGroup.logGroupArn],
    }),
  );
  role.addToPolicy(
    new PolicyStatement({
      sid: "ReportFailures",
      actions: ["sqs:SendMessage"],
      resources: [props.deadLetters.queueArn],
    }),
  );
  return new LambdaFunction(scope, "Poll", {
    description: "Polls the survey service and publishes each completed response as one event",
    code: Code.fromAsset(bundleInto(scope, props.config)),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: 512,
    timeout: Duration.minutes(5),
    environment: props.environment,
    logGroup,
    // Helpers of the library would widen the policy: every statement stands above, or comes from the caller.
    role: role.withoutPolicyUpdates(),
    maxEventAge: Duration.seconds(60),
    retryAttempts: 0,
    onFailure: new SqsDestination(props.deadLetters),
  });
}

/** Inside the assembly, so that two syntheses at the same time never share a folder. */
function bundleInto(scope: Construct, config: unknown): string {
  const outDir = join(Stage.of(scope)?.assetOutdir ?? "cdk.out", "bundles", `${scope.node.addr}-poll`);
  bundleFunction("poll", outDir, config);
  return outDir;
}
