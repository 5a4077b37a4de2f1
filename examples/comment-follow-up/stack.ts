import { join } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";
import { followUpMachine } from "./follow-up.ts";

export interface CommentFollowUpProps extends StackProps, SurveyEventsProps {
  /** Whether a ticket has the comments themselves, which are personal data: needs `claimCheckBucketName`. Default false. */
  withComments?: boolean;
  /** How long the ticket of a detractor may stay open before the desk is told. Default two days. */
  patience?: Duration;
}

/** Opens a ticket for each unhappy comment, and tells a desk when a detractor's stays open. */
export class CommentFollowUp extends Stack {
  constructor(scope: Construct, id: string, props: CommentFollowUpProps = {}) {
    super(scope, id, { description: "Follows up unhappy comments of surveys", ...props });
    const { withComments = false, patience = Duration.days(2) } = props;
    const tickets = new Table(this, "Tickets", {
      partitionKey: { name: "ticket", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const desk = new Topic(this, "Desk", { enforceSSL: true });
    const machine = followUpMachine(this, { tickets, desk, patience });
    const failed = new Queue(this, "Failed", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const start = new NodejsFunction(this, "Start", {
      entry: join(import.meta.dirname, "handler.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.seconds(30),
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      environment: { STATE_MACHINE_ARN: machine.stateMachineArn, WITH_COMMENTS: String(withComments) },
      logGroup: new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
      retryAttempts: 2,
      onFailure: new SqsDestination(failed),
    });
    machine.grantStartExecution(start);

    const surveys = SurveyEvents.fromBus(this, "Surveys", props);
    if (withComments) surveys.grantReadAnswers(start);
    surveys.onResponseCompleted("Unhappy", {
      where: {
        data: {
          summary: { comments: [{ numeric: [">", 0] }], nps: { class: ["detractor", "passive"] }, test: [false] },
        },
      },
      // One queue keeps what did not reach the function, and what the function could not start.
      target: new LambdaFunction(start, { deadLetterQueue: failed }),
    });
    new CfnOutput(this, "TicketsTable", { value: tickets.tableName, description: "Stands for the ticket system" });
    new CfnOutput(this, "DeskTopicArn", { value: desk.topicArn, description: "Subscribe whoever is to be told" });
    new CfnOutput(this, "StateMachineArn", { value: machine.stateMachineArn });
    new CfnOutput(this, "FunctionName", { value: start.functionName, description: "To send events by hand" });
    new CfnOutput(this, "FailedUrl", { value: failed.queueUrl, description: "Comments that nobody follows up" });
  }
}
