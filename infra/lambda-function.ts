import { RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Architecture,
  type Code,
  type FunctionProps,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { acknowledge, acknowledgeInlinePolicy, acknowledgeOwnKey } from "./acknowledge.ts";
import { useKey } from "./encryption.ts";
import { acknowledgeFinding } from "./findings.ts";
import { acknowledgeNetworkWildcard, type Network, networkStatements } from "./network.ts";

/** Settings that every function of the poller is given. */
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

export interface LambdaFunctionProps extends FunctionSurroundings {
  description: string;
  /** Purpose of its role, as the console shows it. */
  roleDescription: string;
  code: Code;
  environment: Record<string, string>;
  /** Everything it may do beside writing its logs, its traces and what failed. */
  statements: readonly PolicyStatement[];
  /** Where it puts what it gives up. */
  deadLetters: IQueue;
  /** Settings that differ between the functions. */
  settings: Pick<FunctionProps, "timeout" | "maxEventAge" | "retryAttempts" | "onFailure">;
  /** Why it has neither reserved concurrency nor a dead-letter queue of Lambda's own. */
  reasons: { concurrency: string; deadLetters: string };
}

/** A function with a log and a role of its own. `name` begins the names of all three. */
export function createFunction(scope: Construct, name: string, props: LambdaFunctionProps): LambdaFunction {
  const { code, environment, statements, deadLetters, logDays, memory, tracing, encryptionKey, network } = props;
  const logGroup = new LogGroup(scope, `${name}Logs`, {
    // The period was checked against the ones CloudWatch Logs offers, which is what the enumeration lists.
    retention: logDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  });
  const role = new Role(scope, `${name}Role`, {
    assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    description: props.roleDescription,
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
    ...(encryptionKey === undefined ? {} : { environmentEncryption: encryptionKey }),
    ...(tracing ? { tracing: Tracing.ACTIVE } : {}),
    logGroup,
    // Helpers of the library would widen the policy: every statement stands above, or comes from the caller.
    role: role.withoutPolicyUpdates(),
  });
  acknowledgeForFunction(made, props);
  return made;
}

function allow(sid: string, actions: string[], resource: string): PolicyStatement {
  return new PolicyStatement({ sid, actions, resources: [resource] });
}

function acknowledgeForFunction(
  made: Construct,
  { network, tracing, reasons }: Pick<LambdaFunctionProps, "network" | "tracing" | "reasons">,
) {
  acknowledge(made, { LambdaConcurrency: reasons.concurrency, LambdaDLQ: reasons.deadLetters });
  acknowledgeFinding(made, { id: "Serverless-LambdaDLQ", reason: reasons.deadLetters });
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
