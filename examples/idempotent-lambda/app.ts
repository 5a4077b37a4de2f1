import { App } from "aws-cdk-lib";
import { IdempotentLambda } from "./stack.ts";

const app = new App();

new IdempotentLambda(app, "IdempotentLambda", {
  busName: app.node.tryGetContext("busName"),
});
