import { join } from "node:path";
import { Duration, Stage } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type CfnFunction, Code, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { ConfigInput } from "../lib/config/index.ts";
import { INVOCATION } from "../lib/config/invocation.ts";
import { bundleFunction, type FunctionName } from "./bundle.ts";
import { createFunction, type FunctionSurroundings } from "./lambda-function.ts";

export interface PollFunctionProps extends FunctionSurroundings {
  /** The raw configuration; it travels in the bundle, since environment variables are limited to 4 KB. */
  config: ConfigInput;
  environment: Record<string, string>;
  /** Everything it may do beside writing its logs, its traces and what failed. */
  statements: readonly PolicyStatement[];
  deadLetters: IQueue;
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
    reasons: {
      concurrency:
        "Leases keep it to two at work a source, and a reservation fails in an account that has ten executions.",
      deadLetters:
        "What fails goes to the dead-letter queue as a failure destination, which says more than a dead letter.",
    },
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
