import { App } from "aws-cdk-lib";
import { SqsWorkerPython } from "./stack.ts";

const app = new App();

new SqsWorkerPython(app, "SqsWorkerPython", {
  busName: app.node.tryGetContext("busName"),
  claimCheckBucketName: app.node.tryGetContext("claimCheckBucketName"),
  pythonVersion: app.node.tryGetContext("pythonVersion"),
  architecture: app.node.tryGetContext("architecture"),
});
