import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Architecture, Function as LambdaFunction, Runtime, RuntimeFamily } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";
import { workerCode } from "./worker-code.ts";

export interface SqsWorkerPythonProps extends StackProps, SurveyEventsProps {
  /** Of Lambda, 3.12 or later: those before have an older C library than some wheels need. Default "3.14". */
  pythonVersion?: string;
  /** Of the worker's processor. Default "arm64". */
  architecture?: "arm64" | "x86_64";
}

const TIMEOUT = Duration.minutes(1);

/** A queue of completed and updated responses, and a worker in Python that works it off. */
export class SqsWorkerPython extends Stack {
  constructor(scope: Construct, id: string, props: SqsWorkerPythonProps = {}) {
    super(scope, id, { description: "Works off survey responses in Python", ...props });
    const runtime = new Runtime(`python${props.pythonVersion ?? "3.14"}`, RuntimeFamily.PYTHON);
    const architecture = props.architecture === "x86_64" ? Architecture.X86_64 : Architecture.ARM_64;
    const kept = {
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    };
    const done = new Table(this, "Done", {
      ...kept,
      partitionKey: { name: "id", type: AttributeType.STRING },
      timeToLiveAttribute: "expiration",
    });
    const findings = new Table(this, "Findings", {
      ...kept,
      partitionKey: { name: "response", type: AttributeType.STRING },
    });
    const failed = new Queue(this, "Failed", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const queue = new Queue(this, "Queue", {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: failed, maxReceiveCount: 5 },
    });
    const worker = new LambdaFunction(this, "Worker", {
      code: workerCode(runtime, architecture),
      handler: "handler.lambda_handler",
      runtime,
      architecture,
      memorySize: 512,
      timeout: TIMEOUT,
      environment: { DONE_TABLE: done.tableName, FINDINGS_TABLE: findings.tableName },
      logGroup: new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
    });
    // Two at a time work a backlog off, and leave the account's other functions alone.
    worker.addEventSource(
      new SqsEventSource(queue, { batchSize: 10, maxConcurrency: 2, reportBatchItemFailures: true }),
    );
    done.grant(worker, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem");
    findings.grant(worker, "dynamodb:PutItem");

    const surveys = SurveyEvents.fromBus(this, "Surveys", props);
    surveys.grantReadAnswers(worker);
    const rule = surveys.onResponseCompleted("Responses", {
      types: ["response.completed", "response.updated"],
      target: new SqsQueue(queue),
    });
    new CfnOutput(this, "RuleName", { value: rule.ruleName, description: "To replay the archive to this stack alone" });
    new CfnOutput(this, "QueueUrl", { value: queue.queueUrl, description: "Events to be worked off" });
    new CfnOutput(this, "FailedUrl", { value: failed.queueUrl, description: "Events that failed five times" });
    new CfnOutput(this, "FindingsTable", { value: findings.tableName, description: "What the worker has found" });
    new CfnOutput(this, "DoneTable", { value: done.tableName, description: "What Powertools remembers" });
  }
}
