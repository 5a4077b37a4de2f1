import { join } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";
import { type CrmName, templateOf } from "./templates.ts";
import type { TicketOptions } from "./ticket.ts";

/** A ticket has no comments, which are personal data, and knows no customer by `referrer`, unless it is asked for. */
export interface DetractorsToCrmProps extends StackProps, SurveyEventsProps, Partial<TicketOptions> {
  /** Whose template makes the requests. Default "hubspot". */
  crm?: CrmName;
  /** Name of the secret that holds the CRM's address and what lets in. Default "detractors-to-crm". */
  secretName?: string;
}

/** Makes one ticket for each customer who is a detractor, and keeps it right. */
export class DetractorsToCrm extends Stack {
  constructor(scope: Construct, id: string, props: DetractorsToCrmProps = {}) {
    super(scope, id, { description: "Makes tickets of detractors in a CRM", ...props });
    const { crm = "hubspot", secretName = "detractors-to-crm" } = props;
    const { withComment = false, referrerIsCustomer = false } = props;
    templateOf(crm);
    const secret = Secret.fromSecretNameV2(this, "Access", secretName);
    const table = new Table(this, "Customers", {
      partitionKey: { name: "key", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const failed = new Queue(this, "Failed", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const open = new NodejsFunction(this, "Open", {
      entry: join(import.meta.dirname, "handler.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // Half a minute of it may be spent on waiting for other events of the customer.
      timeout: Duration.seconds(70),
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      environment: {
        CRM: crm,
        SECRET_NAME: secret.secretName,
        TABLE: table.tableName,
        WITH_COMMENT: String(withComment),
        REFERRER_IS_CUSTOMER: String(referrerIsCustomer),
      },
      logGroup: new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
      retryAttempts: 2,
      onFailure: new SqsDestination(failed),
    });
    secret.grantRead(open);
    table.grant(open, "dynamodb:PutItem", "dynamodb:UpdateItem");

    const surveys = SurveyEvents.fromBus(this, "Surveys", props);
    // One queue keeps what did not reach the function, and what the CRM did not take.
    const target = new LambdaFunction(open, { deadLetterQueue: failed });
    surveys.onResponseCompleted("Detractors", {
      where: { data: { summary: { nps: { class: ["detractor"] }, test: [false] } } },
      target,
    });
    // An edit may have made a detractor, or may have made one happy.
    surveys.onResponseCompleted("Edits", {
      types: ["response.updated"],
      where: { data: { summary: { test: [false] } } },
      target,
    });
    new CfnOutput(this, "FunctionName", { value: open.functionName, description: "To send events by hand" });
    new CfnOutput(this, "FailedUrl", { value: failed.queueUrl, description: "Detractors without a ticket" });
  }
}
