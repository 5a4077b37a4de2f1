import { CfnOutput } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { CfnArchive, IEventBus } from "aws-cdk-lib/aws-events";
import type { IFunction, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { Monitoring } from "./monitoring/monitoring.ts";
import { areMany } from "./source-scopes.ts";
import type { SourceSecrets } from "./source-secrets.ts";

/** A poller, as far as its outputs tell of it. */
interface Poller extends Construct {
  readonly bus: IEventBus;
  readonly factsBus: IEventBus | undefined;
  readonly archive: CfnArchive | undefined;
  readonly pollFunction: LambdaFunction;
  readonly resendFunction: IFunction;
  readonly table: ITable;
  readonly claimCheckBucket: IBucket;
  readonly deadLetters: IQueue;
  readonly secrets: readonly SourceSecrets[];
  readonly monitoring: Pick<Monitoring, "dashboardUrl">;
}

/**
 * Outputs for somebody who works with a deployment. The names are a contract: scripts read them.
 *
 * @param prefix stands in front of each name
 */
export function createOutputs(poller: Poller, prefix: string): void {
  const output = (name: string, value: string, description: string): void => {
    const made = new CfnOutput(poller, `Output${name}`, { value, description });
    made.overrideLogicalId(`${prefix}${name}`);
  };
  const { bus, factsBus, archive, secrets, monitoring } = poller;
  output("BusName", bus.eventBusName, "The bus to subscribe to");
  output("BusArn", bus.eventBusArn, "The bus to subscribe to");
  if (factsBus !== undefined)
    output("FactsBusArn", factsBus.eventBusArn, "The bus to subscribe to for what is not personal");
  if (archive !== undefined) output("ArchiveArn", archive.attrArn, "What to replay events from");
  output("PollFunctionName", poller.pollFunction.functionName, "Invoke it to poll at once");
  output("ResendFunctionArn", poller.resendFunction.functionArn, "Lets a subscriber have events sent again");
  output("PollLogGroupName", poller.pollFunction.logGroup.logGroupName, "What ticks came to");
  output("DeadLetterQueueUrl", poller.deadLetters.queueUrl, "Ticks that were not started, or were cut off");
  output("TableName", poller.table.tableName, "The books");
  output("ClaimCheckBucketName", poller.claimCheckBucket.bucketName, "Answers too large for an event");
  if (monitoring.dashboardUrl !== undefined)
    output("DashboardUrl", monitoring.dashboardUrl, "Is it well, how late, what does it cost");
  // A stack takes 200 outputs. The names are those of the sources in any case.
  for (const { source, credentials, token } of areMany(secrets) ? [] : secrets) {
    const suffix = secrets.length === 1 ? "" : alphanumeric(source);
    output(`CredentialsSecretName${suffix}`, credentials.name, 'Put {"clientId":"...","clientSecret":"..."} here');
    output(`TokenSecretName${suffix}`, token.name, "Kept by the poller");
  }
}

/** As the names of outputs must be. */
export function alphanumeric(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, "");
}
