import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { ConfigInput } from "../lib/config/index.ts";
import type { SurveyPollerResources } from "./props.ts";
import { SurveyPoller } from "./survey-poller.ts";

export interface SurveyPollerStackProps extends StackProps {
  /** As in cdk.json or a file. */
  config: ConfigInput;
  /** What is there already. Default: nothing, the stack makes all it needs. */
  resources?: SurveyPollerResources;
}

/** One deployment of the poller. The names of its outputs are a contract: scripts read them. */
export class SurveyPollerStack extends Stack {
  readonly poller: SurveyPoller;

  /** @throws ConfigError that names every bad field */
  constructor(scope: Construct, id: string, { config, resources, ...props }: SurveyPollerStackProps) {
    super(scope, id, { description: "Turns completed survey responses into events", ...props });
    this.poller = new SurveyPoller(this, "Poller", { ...config, ...resources });

    const { bus, archive, pollFunction, pollSurveyFunction, table, workQueue, deadLetters, secrets } = this.poller;
    this.output("BusName", bus.eventBusName, "The bus to subscribe to");
    this.output("BusArn", bus.eventBusArn, "The bus to subscribe to");
    if (archive !== undefined) this.output("ArchiveArn", archive.attrArn, "What to replay events from");
    this.output("PollFunctionName", pollFunction.functionName, "Invoke it to poll at once");
    this.output("PollSurveyFunctionName", pollSurveyFunction.functionName, "Catches surveys up");
    this.output("WorkQueueUrl", workQueue.queueUrl, "What is left to it");
    this.output("DeadLetterQueueUrl", deadLetters.queueUrl, "What failed of both");
    this.output("PollLogGroupName", pollFunction.logGroup.logGroupName, "What ticks came to");
    this.output("PollSurveyLogGroupName", pollSurveyFunction.logGroup.logGroupName, "What slices came to");
    this.output("TableName", table.tableName, "The books");
    const { dashboardUrl } = this.poller.monitoring;
    if (dashboardUrl !== undefined)
      this.output("DashboardUrl", dashboardUrl, "Is it well, how late, what does it cost");
    for (const { source, credentials, token } of secrets) {
      const suffix = secrets.length === 1 ? "" : source.replaceAll(/[^A-Za-z0-9]/g, "");
      this.output(
        `CredentialsSecretName${suffix}`,
        credentials.name,
        'Put {"clientId":"...","clientSecret":"..."} here',
      );
      this.output(`TokenSecretName${suffix}`, token.name, "Kept by the poller");
    }
  }

  private output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description });
  }
}
