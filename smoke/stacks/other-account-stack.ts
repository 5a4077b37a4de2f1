import { Stack } from "aws-cdk-lib";
import { CfnRule, EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { NAMES, OUTPUTS } from "../names.ts";
import { outputs } from "./bundled-function.ts";

/** A subscriber in another account, as docs/events.md says it: a rule on the poller's bus that forwards to a bus of its own. */
export class OtherAccountStack extends Stack {
  constructor(scope: Construct, busArn: string) {
    super(scope, NAMES.otherAccountStack, {
      description: "Smoke test of survey-poller: a subscriber in another account",
    });
    const inbox = new EventBus(this, "Inbox");
    const forward = new Role(this, "Forward", { assumedBy: new ServicePrincipal("events.amazonaws.com") });
    inbox.grantPutEventsTo(forward);
    const remote = new CfnRule(this, "Remote", {
      eventBusName: busArn,
      eventPattern: { source: [NAMES.eventSource], "detail-type": ["response.completed"] },
      targets: [{ id: "inbox", arn: inbox.eventBusArn, roleArn: forward.roleArn }],
    });
    remote.node.addDependency(forward);
    const queue = new Queue(this, "Queue");
    new Rule(this, "Inside", {
      eventBus: inbox,
      eventPattern: { source: [NAMES.eventSource] },
      targets: [new SqsQueue(queue)],
    });
    outputs(this, { [OUTPUTS.otherQueue]: queue.queueUrl });
  }
}
