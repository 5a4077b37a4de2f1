import { App } from "aws-cdk-lib";
import { DetractorsToCrm } from "./stack.ts";

const app = new App();

new DetractorsToCrm(app, "DetractorsToCrm", {
  busName: app.node.tryGetContext("busName"),
  crm: app.node.tryGetContext("crm"),
  secretName: app.node.tryGetContext("secretName"),
  referrerIsCustomer: app.node.tryGetContext("referrerIsCustomer") === "true",
  withComment: app.node.tryGetContext("withComment") === "true",
});
