import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { CfnNamedQuery, CfnWorkGroup } from "aws-cdk-lib/aws-athena";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";
import { createTable, DATABASE, EVENTS } from "./table.ts";

const TIMEOUT = Duration.minutes(1);

/** Keeps each event with the contents of a response as an object in S3, and makes Athena find them. */
export class ResponsesToS3 extends Stack {
  constructor(scope: Construct, id: string, props: StackProps & SurveyEventsProps) {
    super(scope, id, { description: "Completed survey responses in S3", ...props });
    const bucket = new Bucket(this, "Bucket", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // Results of queries repeat personal data, and nobody needs them twice.
      lifecycleRules: [{ prefix: "query-results/", expiration: Duration.days(7) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const failed = new Queue(this, "Failed", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const queue = new Queue(this, "Queue", {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: failed, maxReceiveCount: 5 },
    });
    const store = new NodejsFunction(this, "Store", {
      entry: join(import.meta.dirname, "handler.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: TIMEOUT,
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      environment: { BUCKET: bucket.bucketName },
      logGroup: new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
    });
    // Two at a time work a backlog off, and leave the account's other functions alone.
    store.addEventSource(
      new SqsEventSource(queue, { batchSize: 10, maxConcurrency: 2, reportBatchItemFailures: true }),
    );
    bucket.grantPut(store, `${EVENTS}/*`);

    const surveys = SurveyEvents.fromBus(this, "Surveys", props);
    surveys.grantReadAnswers(store);
    const rule = surveys.onResponseCompleted("Responses", {
      types: ["response.completed", "response.updated", "response.deleted"],
      target: new SqsQueue(queue),
    });

    const table = createTable(this, bucket);
    const workGroup = new CfnWorkGroup(this, "WorkGroup", {
      name: "survey-responses",
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        resultConfiguration: {
          outputLocation: bucket.s3UrlForObject("query-results/"),
          encryptionConfiguration: { encryptionOption: "SSE_S3" },
        },
      },
    });
    const view = new CfnNamedQuery(this, "View", {
      name: "Create the view of responses",
      description: "Run it once: each response as it is now",
      database: DATABASE,
      workGroup: workGroup.name,
      queryString: readFileSync(join(import.meta.dirname, "responses.sql"), "utf8"),
    });
    view.node.addDependency(table, workGroup);

    new CfnOutput(this, "BucketName", { value: bucket.bucketName });
    new CfnOutput(this, "RuleName", { value: rule.ruleName, description: "To replay the archive to this stack alone" });
    new CfnOutput(this, "FailedQueueUrl", { value: failed.queueUrl, description: "Events that could not be stored" });
    new CfnOutput(this, "ViewQueryId", { value: view.attrNamedQueryId });
  }
}
