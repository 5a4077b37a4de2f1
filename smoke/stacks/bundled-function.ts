import { join, resolve } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Stage } from "aws-cdk-lib";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { bundleEntry } from "../../infra/bundle.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** A function of the smoke's own, with a log that goes with its stack. `entry` is a path below `smoke/`. */
export function bundledFunction(
  scope: Construct,
  id: string,
  entry: string,
  environment: Record<string, string>,
): LambdaFunction {
  const outDir = join(Stage.of(scope)?.assetOutdir ?? "cdk.out", "bundles", `${scope.node.addr}-${id}`);
  bundleEntry(join(ROOT, entry), outDir);
  return new LambdaFunction(scope, id, {
    code: Code.fromAsset(outDir),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: 512,
    timeout: Duration.seconds(30),
    environment,
    logGroup: new LogGroup(scope, `${id}Logs`, {
      retention: RetentionDays.ONE_DAY,
      removalPolicy: RemovalPolicy.DESTROY,
    }),
  });
}

export function outputs(scope: Construct, values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(scope, name, { value });
}
