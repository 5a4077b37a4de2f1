import { join } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { AccountPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyEvents } from "survey-poller/infra";

export interface ReceiveSurveysProps extends StackProps {
  /** Account of the poller, which may put events on the inbox. */
  pollerAccount: string;
  /** The poller's bucket with answers that are too large for an event: the output `ClaimCheckBucketName`. */
  claimCheckBucketName: string;
}

const TIMEOUT = Duration.seconds(30);

/** In the other account: a bus for what the poller's account forwards, and a consumer that reads each response with all its answers. */
export class ReceiveSurveys extends Stack {
  constructor(scope: Construct, id: string, { pollerAccount, claimCheckBucketName, ...props }: ReceiveSurveysProps) {
    super(scope, id, { description: "Receives survey responses from the poller's account", ...props });
    const inbox = new EventBus(this, "Inbox", { eventBusName: "surveys" });
    inbox.addToResourcePolicy(
      new PolicyStatement({
        sid: "PollerForwards",
        principals: [new AccountPrincipal(pollerAccount)],
        actions: ["events:PutEvents"],
        resources: [inbox.eventBusArn],
      }),
    );
    const failed = new Queue(this, "Failed", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const queue = new Queue(this, "Queue", {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: failed, maxReceiveCount: 5 },
    });
    const log = new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });
    const consumer = new NodejsFunction(this, "Consumer", {
      entry: join(import.meta.dirname, "handler.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: TIMEOUT,
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      logGroup: log,
    });
    consumer.addEventSource(
      new SqsEventSource(queue, { batchSize: 10, maxConcurrency: 2, reportBatchItemFailures: true }),
    );

    // The events on the inbox look as they do on the poller's own bus.
    const surveys = SurveyEvents.fromBus(this, "Surveys", { busName: inbox.eventBusName, claimCheckBucketName });
    // The poller's bucket lets this account in; this lets the one role in, of all that the account has.
    surveys.grantReadAnswers(consumer);
    surveys.onResponseCompleted("Responses", {
      types: ["response.completed", "response.updated"],
      target: new SqsQueue(queue),
    });

    new CfnOutput(this, "InboxArn", {
      value: inbox.eventBusArn,
      description: "Where the poller's account forwards to",
    });
    new CfnOutput(this, "LogGroupName", { value: log.logGroupName, description: "Which responses were read" });
    new CfnOutput(this, "FailedQueueUrl", { value: failed.queueUrl, description: "Events that could not be read" });
  }
}
