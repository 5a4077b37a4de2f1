import { App } from "aws-cdk-lib";
import { SqsWorkerPython } from "./stack.ts";

const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

new SqsWorkerPython(app, "SqsWorkerPython", {
  env: { account, region },
  busName: app.node.tryGetContext("busName"),
  claimCheckBucketName: app.node.tryGetContext("claimCheckBucketName"),
  pythonVersion: app.node.tryGetContext("pythonVersion"),
  architecture: app.node.tryGetContext("architecture"),
});
