import { join } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Size, Stack, type StackProps } from "aws-cdk-lib";
import { CfnNamedQuery, CfnWorkGroup } from "aws-cdk-lib/aws-athena";
import { FirehoseDeliveryStream } from "aws-cdk-lib/aws-events-targets";
import {
  DeliveryStream,
  InputFormat,
  LambdaFunctionProcessor,
  OutputFormat as RecordFormat,
  S3Bucket,
  SchemaConfiguration,
  StreamEncryption,
} from "aws-cdk-lib/aws-kinesisfirehose";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { EVENT_TYPES } from "survey-poller/events";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";
import { SurveyArchiveCheck } from "./archive-check.ts";
import { DATABASE, EVENTS } from "./names.ts";
import { savedQueries } from "./queries.ts";
import { createTable } from "./table.ts";

/** Where Athena puts what it finds. */
const RESULTS = "query-results";
/** Where Firehose puts events that are no rows. */
const FAILED = "failed";

export interface ResponsesToWarehouseProps extends StackProps, SurveyEventsProps {
  /** Output of the poller's stack: with it what is missing is sent again. */
  resendFunctionArn?: string;
  /** How long an event may take to its file. Default 15 minutes. */
  settle?: Duration;
}

/** Keeps all events as Parquet files in S3, and makes Athena find them. */
export class ResponsesToWarehouse extends Stack {
  constructor(scope: Construct, id: string, props: ResponsesToWarehouseProps) {
    super(scope, id, { description: "Completed survey responses in a warehouse", ...props });
    const bucket = new Bucket(this, "Bucket", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // Both repeat personal data: nobody needs results twice, and what has failed is long sent again.
      lifecycleRules: [
        { prefix: `${RESULTS}/`, expiration: Duration.days(7) },
        { prefix: `${FAILED}/`, expiration: Duration.days(30) },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const table = createTable(this, bucket);
    const rows = new NodejsFunction(this, "Rows", {
      entry: join(import.meta.dirname, "handler.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.minutes(5),
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      logGroup: new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
    });
    const surveys = SurveyEvents.fromBus(this, "Surveys", props);
    surveys.grantReadAnswers(rows);
    const stream = new DeliveryStream(this, "Stream", {
      encryption: StreamEncryption.awsOwnedKey(),
      destination: new S3Bucket(bucket, {
        processors: [
          // Few at a time: their answers may lie in the poller's bucket, and Lambda gives back 6 MB at most.
          new LambdaFunctionProcessor(rows, { bufferSize: Size.mebibytes(1), bufferInterval: Duration.seconds(60) }),
        ],
        dataFormatConversion: {
          schemaConfiguration: SchemaConfiguration.fromCfnTable(table),
          inputFormat: InputFormat.OPENX_JSON,
          outputFormat: RecordFormat.PARQUET,
        },
        dataOutputPrefix: `${EVENTS}/day=!{timestamp:yyyy-MM-dd}/`,
        errorOutputPrefix: `${FAILED}/!{firehose:error-output-type}/!{timestamp:yyyy-MM-dd}/`,
        bufferingInterval: Duration.minutes(10),
        bufferingSize: Size.mebibytes(128),
      }),
    });
    const rule = surveys.onResponseCompleted("Responses", {
      types: EVENT_TYPES,
      target: new FirehoseDeliveryStream(stream),
    });

    const workGroup = new CfnWorkGroup(this, "WorkGroup", {
      name: "survey-responses",
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        resultConfiguration: {
          outputLocation: bucket.s3UrlForObject(`${RESULTS}/`),
          encryptionConfiguration: { encryptionOption: "SSE_S3" },
        },
      },
    });
    for (const { name, queryString } of savedQueries()) {
      const query = new CfnNamedQuery(this, `Query-${name}`, {
        name,
        database: DATABASE,
        workGroup: workGroup.name,
        queryString,
      });
      query.node.addDependency(table, workGroup);
    }
    if (props.resendFunctionArn !== undefined) {
      const { resendFunctionArn, settle } = props;
      new SurveyArchiveCheck(this, "Check", {
        surveys,
        bucket,
        workGroup,
        results: RESULTS,
        resendFunctionArn,
        settle,
      });
    }

    new CfnOutput(this, "BucketName", { value: bucket.bucketName });
    new CfnOutput(this, "RuleName", { value: rule.ruleName, description: "To replay the archive to this stack alone" });
    new CfnOutput(this, "WorkGroupName", { value: workGroup.name, description: "Has the queries, saved" });
  }
}
