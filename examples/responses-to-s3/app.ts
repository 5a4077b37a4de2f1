import { App } from "aws-cdk-lib";
import { ResponsesToS3 } from "./stack.ts";

const app = new App();

new ResponsesToS3(app, "ResponsesToS3", {
  busName: app.node.tryGetContext("busName"),
  claimCheckBucketName: app.node.tryGetContext("claimCheckBucketName"),
});
