import { join } from "node:path";
import { Arn, ArnFormat, CfnOutput, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { CfnWorkGroup } from "aws-cdk-lib/aws-athena";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { SurveyEvents } from "survey-poller/infra";
import { DATABASE, EVENTS, TABLE } from "./names.ts";

/** How often a survey's files are looked at before somebody has to come. */
const LOOKS = 4;

export interface SurveyArchiveCheckProps {
  surveys: SurveyEvents;
  /** Where the files are, and what Athena finds in them. */
  bucket: IBucket;
  results: string;
  workGroup: CfnWorkGroup;
  /** The poller's function by its alias for subscribers: it may send events again, and nothing else. */
  resendFunctionArn: string;
  /** How long an event may take to its file; at most 15 minutes, the default. */
  settle?: Duration | undefined;
}

/** Compares the files with each books that close. Asks for what is missing, looks again, and raises an alarm where that does not help. */
export class SurveyArchiveCheck extends Construct {
  /** Somebody has to see to it. Give it an action. */
  readonly alarm: Alarm;

  constructor(scope: Construct, id: string, props: SurveyArchiveCheckProps) {
    super(scope, id);
    const { surveys, bucket, results, workGroup, resendFunctionArn, settle = Duration.minutes(15) } = props;
    const timeout = Duration.seconds(Math.min(300, settle.toSeconds()));
    const gaps = new Queue(this, "Gaps", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const queue = new Queue(this, "Queue", {
      enforceSSL: true,
      // The events that the books count may still be on their way to their files. So may what was sent again.
      deliveryDelay: settle,
      visibilityTimeout: settle,
      deadLetterQueue: { queue: gaps, maxReceiveCount: LOOKS },
    });
    const log = new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });
    const check = new NodejsFunction(this, "Check", {
      entry: join(import.meta.dirname, "check.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      timeout,
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      environment: { WORK_GROUP: workGroup.name, RESEND_FUNCTION: resendFunctionArn },
      logGroup: log,
    });
    check.addEventSource(new SqsEventSource(queue, { batchSize: 1, maxConcurrency: 2 }));
    const { account, region, partition } = Stack.of(this);
    const arnOf = (service: string, resource: string, resourceName?: string): string =>
      Arn.format({ service, resource, account, region, partition, ...named(resourceName) });
    for (const [actions, resources] of [
      [["lambda:InvokeFunction"], [resendFunctionArn]],
      [["athena:StartQueryExecution", "athena:GetQueryExecution"], [arnOf("athena", "workgroup", workGroup.name)]],
      [
        ["glue:GetDatabase", "glue:GetTable", "glue:GetPartitions"],
        [arnOf("glue", "catalog"), arnOf("glue", "database", DATABASE), arnOf("glue", "table", `${DATABASE}/${TABLE}`)],
      ],
      [["s3:GetBucketLocation", "s3:ListBucket"], [bucket.bucketArn]],
      [["s3:GetObject"], [bucket.arnForObjects(`${EVENTS}/*`), bucket.arnForObjects(`${results}/*`)]],
      [["s3:PutObject"], [bucket.arnForObjects(`${results}/*`)]],
    ] as [string[], string[]][]) {
      check.addToRolePolicy(new PolicyStatement({ actions, resources }));
    }
    surveys.onResponseCompleted("Books", { types: ["books.closed"], target: new SqsQueue(queue) });
    this.alarm = new Alarm(this, "Alarm", {
      alarmDescription: "Survey responses are missing in the warehouse, and to send them again did not help",
      metric: gaps.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: "Maximum" }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    const output = (name: string, value: string, description: string): void => {
      new CfnOutput(this, name, { value, description }).overrideLogicalId(name);
    };
    output("CheckLogGroupName", log.logGroupName, "What the check has found");
    output("GapsUrl", gaps.queueUrl, "Books that the files do not have, after all looks");
    output("AlarmName", this.alarm.alarmName, "Somebody has to see to it");
  }
}

function named(resourceName: string | undefined): { resourceName: string; arnFormat: ArnFormat } | object {
  return resourceName === undefined ? {} : { resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME };
}
