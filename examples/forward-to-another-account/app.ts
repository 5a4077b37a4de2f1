import { App } from "aws-cdk-lib";
import { ForwardSurveys } from "./forward-stack.ts";
import { ReceiveSurveys } from "./receive-stack.ts";

const app = new App();
const option = (name: string): string | undefined => app.node.tryGetContext(name) as string | undefined;

// The two stacks are of two accounts. Each is made where its options are given.
const pollerAccount = option("pollerAccount");
const claimCheckBucketName = option("claimCheckBucketName");
if (pollerAccount !== undefined && claimCheckBucketName !== undefined) {
  new ReceiveSurveys(app, "ReceiveSurveys", { pollerAccount, claimCheckBucketName });
}
const inboxArn = option("inboxArn");
if (inboxArn !== undefined) {
  new ForwardSurveys(app, "ForwardSurveys", { inboxArn, busName: option("busName") });
}
