import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { ConfigInput } from "../lib/config.ts";
import { SurveyPoller } from "./survey-poller.ts";

export interface SurveyPollerStackProps extends StackProps {
  config: ConfigInput;
}

/** One deployment of the poller. The names of its outputs are a contract: scripts read them. */
export class SurveyPollerStack extends Stack {
  readonly poller: SurveyPoller;

  /** @throws ConfigError that names every bad field */
  constructor(scope: Construct, id: string, { config, ...props }: SurveyPollerStackProps) {
    super(scope, id, { description: "Turns completed survey responses into events", ...props });
    this.poller = new SurveyPoller(this, "Poller", config);

    const { bus, pollFunction, table, secrets } = this.poller;
    this.output("BusName", bus.eventBusName, "The bus to subscribe to");
    this.output("BusArn", bus.eventBusArn, "The bus to subscribe to");
    this.output("PollFunctionName", pollFunction.functionName, "Invoke it to poll at once");
    this.output("TableName", table.tableName, "The books");
    for (const { source, credentialsName, tokenName } of secrets) {
      const suffix = secrets.length === 1 ? "" : source.replaceAll(/[^A-Za-z0-9]/g, "");
      this.output(
        `CredentialsSecretName${suffix}`,
        credentialsName,
        'Put {"clientId":"...","clientSecret":"..."} here',
      );
      this.output(`TokenSecretName${suffix}`, tokenName, "Kept by the poller");
    }
  }

  private output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description });
  }
}
