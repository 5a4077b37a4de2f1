import { App } from "aws-cdk-lib";
import { IdempotentLambda } from "./stack.ts";

const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

new IdempotentLambda(app, "IdempotentLambda", {
  env: { account, region },
  busName: app.node.tryGetContext("busName"),
});
