import { App } from "aws-cdk-lib";
import { DetractorsToChat } from "./stack.ts";

const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

new DetractorsToChat(app, "DetractorsToChat", {
  env: { account, region },
  busName: app.node.tryGetContext("busName"),
  secretName: app.node.tryGetContext("secretName"),
  withComment: app.node.tryGetContext("withComment") === "true",
});
