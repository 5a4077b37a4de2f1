import { type Duration, RemovalPolicy } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Topic } from "aws-cdk-lib/aws-sns";
import {
  type Chain,
  Choice,
  Condition,
  DefinitionBody,
  LogLevel,
  QueryLanguage,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from "aws-cdk-lib/aws-stepfunctions";
import { DynamoAttributeValue, DynamoGetItem, DynamoPutItem, SnsPublish } from "aws-cdk-lib/aws-stepfunctions-tasks";
import { Construct } from "constructs";

export interface FollowUpProps {
  /** Stands for the ticket system. */
  tickets: Table;
  /** Hears of tickets that nobody has closed in time. */
  desk: Topic;
  /** How long the ticket of a detractor may stay open. */
  patience: Duration;
}

/** The state machine that follows up one response: a ticket at once, and for a detractor a look at it later. */
export class FollowUpMachine extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, props: FollowUpProps) {
    super(scope, id);
    this.machine = new StateMachine(this, "Machine", {
      definitionBody: DefinitionBody.fromChainable(this.#definition(props)),
      queryLanguage: QueryLanguage.JSONATA,
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, "Log", {
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
        // Comments are personal data.
        includeExecutionData: false,
      },
    });
  }

  #definition(props: FollowUpProps): Chain {
    const open = this.#openTicket(props.tickets);
    const next = this.#byClass(props);
    // It is there where an attempt before has opened it and could not know: the follow-up goes on.
    open.addCatch(next, {
      errors: ["DynamoDB.ConditionalCheckFailedException"],
      outputs: "{% $states.input %}",
    });
    return open.next(next);
  }

  #openTicket(table: Table): DynamoPutItem {
    const open = DynamoPutItem.jsonata(this, "Open a ticket", {
      table,
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
    return withRetries(open);
  }

  #byClass({ tickets, desk, patience }: FollowUpProps): Choice {
    const isStillOpen = Condition.jsonata('{% $states.input.status = "open" %}');
    const closed = new Succeed(this, "Closed in time");
    const lookAgain = Wait.jsonata(this, "Give the team time", { time: WaitTime.duration(patience) })
      .next(this.#readTicket(tickets))
      .next(Choice.jsonata(this, "Still open?").when(isStillOpen, this.#escalate(desk)).otherwise(closed));
    return Choice.jsonata(this, "Which class?")
      .when(Condition.jsonata('{% $states.input.class = "detractor" %}'), lookAgain)
      .otherwise(new Succeed(this, "Left to the team"));
  }

  #readTicket(table: Table): DynamoGetItem {
    const read = DynamoGetItem.jsonata(this, "Read the ticket", {
      table,
      key: { ticket: text("$states.input.eventId") },
      consistentRead: true,
      outputs: {
        eventId: "{% $states.input.eventId %}",
        title: "{% $states.result.Item.title.S %}",
        status: "{% $states.result.Item.status.S %}",
      },
    });
    return withRetries(read);
  }

  #escalate(topic: Topic): SnsPublish {
    const tell = SnsPublish.jsonata(this, "Tell the desk", {
      topic,
      subject: "A ticket is still open",
      // No comment: a topic has subscribers that nobody thinks of.
      message: TaskInput.fromText('{% $states.input.title & " (ticket " & $states.input.eventId & ")" %}'),
    });
    return withRetries(tell);
  }
}

/** Step Functions tries what failed for a while; then the execution has failed and can be redriven. */
function withRetries<T extends DynamoPutItem | DynamoGetItem | SnsPublish>(task: T): T {
  task.addRetry({ errors: ["DynamoDB.ConditionalCheckFailedException"], maxAttempts: 0 });
  task.addRetry({ maxAttempts: 5, backoffRate: 2 });
  return task;
}

function text(expression: string): DynamoAttributeValue {
  return DynamoAttributeValue.fromString(`{% ${expression} %}`);
}

function number(expression: string): DynamoAttributeValue {
  return DynamoAttributeValue.numberFromString(`{% $string(${expression}) %}`);
}
