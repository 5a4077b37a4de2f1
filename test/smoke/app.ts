import { join } from "node:path";
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { Architecture, Code, FunctionUrlAuthType, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { bundleEntry } from "../../infra/bundle.ts";

// The survey service of the smoke test, by a public URL. It asks for credentials that are made anew for each run.

const app = new App();
const stack = new Stack(app, "SurveyPollerSmokeService", {
  description: "Smoke test of survey-poller: a survey service",
});
const code = join(app.outdir, "smoke-service");
bundleEntry(join(import.meta.dirname, "service.ts"), code);
const service = new LambdaFunction(stack, "Service", {
  code: Code.fromAsset(code),
  handler: "index.handler",
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  memorySize: 512,
  timeout: Duration.seconds(30),
  environment: { SERVICE: process.env.SMOKE_SERVICE ?? "" },
  logGroup: new LogGroup(stack, "Logs", { retention: RetentionDays.ONE_DAY, removalPolicy: RemovalPolicy.DESTROY }),
});
const { url } = service.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
new CfnOutput(stack, "Url", { value: url });
