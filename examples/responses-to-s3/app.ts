import { App } from "aws-cdk-lib";
import { ResponsesToS3 } from "./stack.ts";

const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

new ResponsesToS3(app, "ResponsesToS3", {
  env: { account, region },
  busName: app.node.tryGetContext("busName"),
  claimCheckBucketName: app.node.tryGetContext("claimCheckBucketName"),
});
