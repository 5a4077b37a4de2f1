import { Stack } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { NAMES, OUTPUTS } from "../names.ts";
import { outputs } from "./bundled-function.ts";

/** A subscriber that knows nothing of the poller's stack but the name of its bus, as other teams are. */
export class ForeignStack extends Stack {
  constructor(scope: Construct) {
    super(scope, NAMES.foreignStack, { description: "Smoke test of survey-poller: a subscriber's own stack" });
    const queue = new Queue(this, "Queue");
    const rule = new Rule(this, "Rule", {
      eventBus: EventBus.fromEventBusName(this, "Surveys", NAMES.bus),
      eventPattern: { source: [NAMES.eventSource], detailType: ["response.completed"] },
      targets: [new SqsQueue(queue)],
    });
    outputs(this, { [OUTPUTS.foreignQueue]: queue.queueUrl, [OUTPUTS.foreignRule]: rule.ruleName });
  }
}
