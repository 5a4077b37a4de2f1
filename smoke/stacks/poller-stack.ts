import { Duration, Stack } from "aws-cdk-lib";
import { Table } from "aws-cdk-lib/aws-dynamodb";
import { CfnRule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as FunctionTarget, SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyPoller } from "../../infra/survey-poller.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { SURVEYS } from "../service/plan.ts";
import type { AppSettings } from "../settings.ts";
import { bundledFunction, outputs } from "./bundled-function.ts";

/** A poller of that service, as anybody would make one, and subscribers of each kind. */
export class PollerStack extends Stack {
  constructor(
    scope: Construct,
    { serviceUrl, recorderUrl, recordedTable, otherAccount }: NonNullable<AppSettings["deployed"]>,
  ) {
    super(scope, NAMES.pollerStack, { description: "Smoke test of survey-poller: a poller and its subscribers" });
    const auth = { type: "bearer" as const, secret: NAMES.webhookSecret };
    const poller = new SurveyPoller(this, "Poller", {
      sources: [
        {
          baseUrl: serviceUrl,
          startFrom: "beginning",
          timeZone: "UTC",
          // A new account has ten executions at once, and the service is a function too.
          concurrency: 2,
          inlineLimit: "900KB",
          eventSource: NAMES.eventSource,
        },
      ],
      bus: { name: NAMES.bus },
      ...(recorderUrl === undefined ? {} : { webhooks: [{ name: NAMES.webhook, url: recorderUrl, auth }] }),
      ...(otherAccount === undefined ? {} : { subscribers: { accounts: [otherAccount] } }),
    });
    const queue = new Queue(this, "Queue");
    poller.onResponseCompleted("Queue", { target: new SqsQueue(queue) });
    const recorder = bundledFunction(this, "Recorder", "recorder.ts", { TABLE_NAME: recordedTable, LANE: "function" });
    Table.fromTableName(this, "Recorded", recordedTable).grantWriteData(recorder);
    poller.grantReadAnswers(recorder);
    poller.onResponseCompleted("Function", { target: new FunctionTarget(recorder) });
    const undelivered = this.ruleThatFails(poller);
    const [secrets] = poller.secrets;
    outputs(this, {
      [OUTPUTS.busArn]: poller.bus.eventBusArn,
      [OUTPUTS.archiveArn]: poller.archive?.attrArn ?? "",
      [OUTPUTS.pollFunction]: poller.pollFunction.functionName,
      [OUTPUTS.pollLogGroup]: poller.pollFunction.logGroup.logGroupName,
      [OUTPUTS.table]: poller.table.tableName,
      [OUTPUTS.bucket]: poller.claimCheckBucket.bucketName,
      [OUTPUTS.deadLetters]: poller.deadLetters.queueUrl,
      [OUTPUTS.credentials]: secrets?.credentials.name ?? "",
      [OUTPUTS.token]: secrets?.token.name ?? "",
      [OUTPUTS.queue]: queue.queueUrl,
      [OUTPUTS.undelivered]: undelivered.queueUrl,
      [OUTPUTS.deployment]: String(poller.metricEmitted().dimensions?.service),
    });
  }

  /** A rule whose target lets nothing in, so that deliveries fail: what the bus's log and a dead-letter queue are for. */
  private ruleThatFails({ bus }: SurveyPoller): Queue {
    const closed = new Queue(this, "Closed");
    const undelivered = new Queue(this, "Undelivered", { retentionPeriod: Duration.days(1) });
    const rule = new CfnRule(this, "Failing", {
      eventBusName: bus.eventBusName,
      eventPattern: {
        source: [NAMES.eventSource],
        "detail-type": ["response.completed"],
        detail: { data: { surveyId: [SURVEYS.large] } },
      },
      targets: [
        {
          id: "closed",
          arn: closed.queueArn,
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
          deadLetterConfig: { arn: undelivered.queueArn },
        },
      ],
    });
    undelivered.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("events.amazonaws.com")],
        actions: ["sqs:SendMessage"],
        resources: [undelivered.queueArn],
        conditions: { ArnEquals: { "aws:SourceArn": rule.attrArn } },
      }),
    );
    return undelivered;
  }
}
