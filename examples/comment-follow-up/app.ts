import { App, Duration } from "aws-cdk-lib";
import { CommentFollowUp } from "./stack.ts";

const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
const patience: string | undefined = app.node.tryGetContext("patience");

new CommentFollowUp(app, "CommentFollowUp", {
  env: { account, region },
  busName: app.node.tryGetContext("busName"),
  claimCheckBucketName: app.node.tryGetContext("claimCheckBucketName"),
  withComments: app.node.tryGetContext("withComments") === "true",
  ...(patience === undefined ? {} : { patience: Duration.parse(patience) }),
});
