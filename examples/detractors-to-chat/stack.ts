import { join } from "node:path";
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Architecture, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { SurveyEvents, type SurveyEventsProps } from "survey-poller/infra";

export interface DetractorsToChatProps extends StackProps, SurveyEventsProps {
  /** Name of the secret that holds the URL of the chat's incoming webhook. Default "detractors-to-chat". */
  secretName?: string;
  /** Whether a message quotes the first comment, which is personal data. Default false. */
  withComment?: boolean;
  /** Address of a response in the survey service, with `{surveyId}` and `{responseId}` in it. Default: messages have no link. */
  linkTemplate?: string;
}

/** Tells a chat of each detractor. */
export class DetractorsToChat extends Stack {
  constructor(scope: Construct, id: string, props: DetractorsToChatProps = {}) {
    super(scope, id, { description: "Tells a chat of each detractor", ...props });
    const { secretName = "detractors-to-chat", withComment = false, linkTemplate = "" } = props;
    const secret = Secret.fromSecretNameV2(this, "Url", secretName);
    const untold = new Queue(this, "Untold", { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const tell = new NodejsFunction(this, "Tell", {
      entry: join(import.meta.dirname, "handler.ts"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(20),
      bundling: { format: OutputFormat.CJS, bundleAwsSDK: true, minify: true },
      environment: { SECRET_NAME: secret.secretName, WITH_COMMENT: String(withComment), LINK_TEMPLATE: linkTemplate },
      logGroup: new LogGroup(this, "Log", { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY }),
      // The chat may be down: Lambda tries twice more within minutes, then the event lies in the queue.
      retryAttempts: 2,
      onFailure: new SqsDestination(untold),
    });
    secret.grantRead(tell);

    SurveyEvents.fromBus(this, "Surveys", props).onResponseCompleted("Detractors", {
      where: { data: { summary: { nps: { class: ["detractor"] }, test: [false] } } },
      // One queue keeps what did not reach the function, and what the function could not tell.
      target: new LambdaFunction(tell, { deadLetterQueue: untold }),
    });
    new CfnOutput(this, "UntoldQueueUrl", {
      value: untold.queueUrl,
      description: "Detractors that the chat never heard of",
    });
  }
}
