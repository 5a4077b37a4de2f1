import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { EventBus as EventBusTarget } from "aws-cdk-lib/aws-events-targets";
import type { Construct } from "constructs";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";

export interface ForwardSurveysProps extends StackProps, SurveyEventsProps {
  /** ARN of the bus in the other account, in the same region: the output `InboxArn` of the receiving stack. */
  inboxArn: string;
}

/** In the poller's account: forwards each event to a bus of another account. */
export class ForwardSurveys extends Stack {
  constructor(scope: Construct, id: string, props: ForwardSurveysProps) {
    super(scope, id, { description: "Forwards survey responses to another account", ...props });
    const surveys = SurveyEvents.fromBus(this, "Surveys", props);
    surveys.onResponseCompleted("Forward", {
      // Everything, so that the other account can verify by the books that nothing is missing.
      types: ["response.completed", "response.updated", "response.deleted", "books.closed"],
      // The target makes the role that may put events on the inbox, and on nothing else.
      target: new EventBusTarget(EventBus.fromEventBusArn(this, "Inbox", props.inboxArn)),
    });
    const queue = surveys.subscriptions.get("Forward")?.deadLetters;
    if (queue !== undefined) {
      new CfnOutput(this, "UndeliveredQueueUrl", {
        value: queue.queueUrl,
        description: "Events that the inbox did not take",
      });
    }
  }
}
