import { App } from "aws-cdk-lib";
import { DetractorsToChat } from "./stack.ts";

const app = new App();

new DetractorsToChat(app, "DetractorsToChat", {
  busName: app.node.tryGetContext("busName"),
  secretName: app.node.tryGetContext("secretName"),
  withComment: app.node.tryGetContext("withComment") === "true",
  linkTemplate: app.node.tryGetContext("linkTemplate"),
});
