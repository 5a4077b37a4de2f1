import { App, Duration } from "aws-cdk-lib";
import { ResponsesToWarehouse } from "./stack.ts";

const app = new App();
const settleSeconds = app.node.tryGetContext("settleSeconds");

new ResponsesToWarehouse(app, "ResponsesToWarehouse", {
  busName: app.node.tryGetContext("busName"),
  claimCheckBucketName: app.node.tryGetContext("claimCheckBucketName"),
  resendFunctionArn: app.node.tryGetContext("resendFunctionArn"),
  ...(settleSeconds === undefined ? {} : { settle: Duration.seconds(Number(settleSeconds)) }),
});
