import { type Duration, RemovalPolicy } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Topic } from "aws-cdk-lib/aws-sns";
import * as sfn from "aws-cdk-lib/aws-stepfunctions";
import { DynamoAttributeValue, DynamoGetItem, DynamoPutItem, SnsPublish } from "aws-cdk-lib/aws-stepfunctions-tasks";
import type { Construct } from "constructs";

export interface FollowUpProps {
  /** Stands for the ticket system. */
  tickets: Table;
  /** Hears of tickets that nobody has closed in time. */
  desk: Topic;
  /** How long the ticket of a detractor may stay open. */
  patience: Duration;
}

/** The state machine that follows up one response: a ticket at once, and for a detractor a look at it later. */
export function followUpMachine(scope: Construct, { tickets, desk, patience }: FollowUpProps): sfn.StateMachine {
  const open = DynamoPutItem.jsonata(scope, "Open a ticket", {
    table: tickets,
    item: {
      ticket: text("$states.input.eventId"),
      status: DynamoAttributeValue.fromString("open"),
      opened: text("$now()"),
      priority: text('$states.input.class = "detractor" ? "high" : "normal"'),
      title: text(
        '($states.input.test ? "[test] " : "") & $states.input.survey & ": " & $states.input.score & " of 10, with a comment"',
      ),
      survey: number("$states.input.surveyId"),
      response: number("$states.input.responseId"),
      customer: text("$states.input.customer"),
      comments: text("$states.input.text"),
    },
    conditionExpression: "attribute_not_exists(ticket)",
    // The input goes on to the next state as it is.
    outputs: "{% $states.input %}",
  });
  const read = DynamoGetItem.jsonata(scope, "Read the ticket", {
    table: tickets,
    key: { ticket: text("$states.input.eventId") },
    consistentRead: true,
    outputs: {
      eventId: "{% $states.input.eventId %}",
      title: "{% $states.result.Item.title.S %}",
      status: "{% $states.result.Item.status.S %}",
    },
  });
  const tell = SnsPublish.jsonata(scope, "Tell the desk", {
    topic: desk,
    subject: "A ticket is still open",
    // No comment: a topic has subscribers that nobody thinks of.
    message: sfn.TaskInput.fromText('{% $states.input.title & " (ticket " & $states.input.eventId & ")" %}'),
  });
  // Step Functions tries what failed for a while; then the execution has failed and can be redriven.
  for (const task of [open, read, tell]) {
    task.addRetry({ errors: [TICKET_IS_THERE], maxAttempts: 0 });
    task.addRetry({ maxAttempts: 5, backoffRate: 2 });
  }

  const stillOpen = sfn.Choice.jsonata(scope, "Still open?")
    .when(sfn.Condition.jsonata('{% $states.input.status = "open" %}'), tell)
    .otherwise(new sfn.Succeed(scope, "Closed in time"));
  const wait = sfn.Wait.jsonata(scope, "Give the team time", { time: sfn.WaitTime.duration(patience) });
  const byClass = sfn.Choice.jsonata(scope, "Which class?")
    .when(sfn.Condition.jsonata('{% $states.input.class = "detractor" %}'), wait.next(read).next(stillOpen))
    .otherwise(new sfn.Succeed(scope, "Left to the team"));
  // It is there where an attempt before has opened it and could not know: the follow-up goes on.
  open.addCatch(byClass, { errors: [TICKET_IS_THERE], outputs: "{% $states.input %}" });

  return new sfn.StateMachine(scope, "FollowUp", {
    definitionBody: sfn.DefinitionBody.fromChainable(open.next(byClass)),
    queryLanguage: sfn.QueryLanguage.JSONATA,
    tracingEnabled: true,
    logs: {
      destination: new LogGroup(scope, "FollowUpLog", {
        retention: RetentionDays.ONE_MONTH,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
      level: sfn.LogLevel.ALL,
      // Comments are personal data.
      includeExecutionData: false,
    },
  });
}

const TICKET_IS_THERE = "DynamoDB.ConditionalCheckFailedException";

function text(expression: string): DynamoAttributeValue {
  return DynamoAttributeValue.fromString(`{% ${expression} %}`);
}

function number(expression: string): DynamoAttributeValue {
  return DynamoAttributeValue.numberFromString(`{% $string(${expression}) %}`);
}
