import { join } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";

/** Sends one letter for each response, however often its event is delivered. */
export class IdempotentLambda extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & SurveyEventsProps = {}) {
    super(scope, id, { description: "Sends one letter for each completed survey response", ...props });
    const kept = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Without what is in them every letter would be sent again.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    };
    const done = new Table(this, "Done", {
      ...kept,
      partitionKey: { name: "id", type: AttributeType.STRING },
      timeToLiveAttribute: "expiration",
    });
    const receipts = new Table(this, "Receipts", {
      ...kept,
      partitionKey: { name: "survey", type: AttributeType.STRING },
      sortKey: { name: "response", type: AttributeType.STRING },
    });
    const letters = new Queue(this, "Letters", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const failed = new Queue(this, "Failed", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const log = new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });
    const send = new NodejsFunction(this, "Send", {
      entry: join(import.meta.dirname, "handler.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.minutes(1),
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      environment: {
        DONE_TABLE: done.tableName,
        RECEIPTS_TABLE: receipts.tableName,
        LETTERS_URL: letters.queueUrl,
      },
      logGroup: log,
      // After one minute, and after two more: so long may an event be on its way that the books count.
      retryAttempts: 2,
      onFailure: new SqsDestination(failed),
    });
    done.grant(send, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem");
    receipts.grant(send, "dynamodb:PutItem", "dynamodb:Query");
    letters.grantSendMessages(send);

    const surveys = SurveyEvents.fromBus(this, "Surveys", props);
    const rule = surveys.onResponseCompleted("Letters", {
      types: ["response.completed", "response.updated", "books.closed"],
      // One queue keeps what did not reach the function, and what the function could not do.
      target: new LambdaFunction(send, { deadLetterQueue: failed }),
    });
    new CfnOutput(this, "RuleName", { value: rule.ruleName, description: "To replay the archive to this stack alone" });
    new CfnOutput(this, "FunctionName", { value: send.functionName, description: "To send events by hand" });
    new CfnOutput(this, "LettersUrl", {
      value: letters.queueUrl,
      description: "Stands for the system that sends letters",
    });
    new CfnOutput(this, "ReceiptsTable", { value: receipts.tableName, description: "For npx survey-poller verify" });
    new CfnOutput(this, "LogGroupName", { value: log.logGroupName, description: "What the books say" });
    new CfnOutput(this, "DoneTable", { value: done.tableName, description: "What Powertools remembers" });
    new CfnOutput(this, "FailedUrl", { value: failed.queueUrl, description: "Events that were given up" });
  }
}
