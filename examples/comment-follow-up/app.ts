import { App, Duration } from "aws-cdk-lib";
import { CommentFollowUp } from "./stack.ts";

const app = new App();
const patience: string | undefined = app.node.tryGetContext("patience");

new CommentFollowUp(app, "CommentFollowUp", {
  busName: app.node.tryGetContext("busName"),
  claimCheckBucketName: app.node.tryGetContext("claimCheckBucketName"),
  withComments: app.node.tryGetContext("withComments") === "true",
  ...(patience === undefined ? {} : { patience: Duration.parse(patience) }),
});
