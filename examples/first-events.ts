import { App, Stack } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";

// A subscriber: a stack of its own, which knows nothing of the poller but the name of its bus.
const stack = new Stack(new App(), "FirstEvents");
const options = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

new Rule(stack, "Rule", {
  eventBus: EventBus.fromEventBusName(stack, "Surveys", "survey-poller"),
  eventPattern: { detailType: ["response.completed"] },
  targets: [
    new SqsQueue(new Queue(stack, "Queue", { ...options, queueName: "first-events" }), {
      // What EventBridge could not deliver: nobody else keeps it.
      deadLetterQueue: new Queue(stack, "Undelivered", options),
    }),
  ],
});
