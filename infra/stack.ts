import { Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { ConfigInput } from "../lib/config/index.ts";
import type { DeploymentSettings, SurveyPollerResources } from "./props.ts";
import { SurveyPoller } from "./survey-poller.ts";

export interface SurveyPollerStackProps extends StackProps, DeploymentSettings {
  /** As in cdk.json or a file. */
  config: ConfigInput;
  /** Constructs that exist already. Default: nothing, the stack makes all it needs. */
  resources?: SurveyPollerResources;
}

/** One deployment of the poller, whose outputs have nothing in front of their names. */
export class SurveyPollerStack extends Stack {
  readonly poller: SurveyPoller;

  /** @throws ConfigError that names every bad field */
  constructor(
    scope: Construct,
    id: string,
    { config, resources, memory, tracing, onRemoval, ...props }: SurveyPollerStackProps,
  ) {
    super(scope, id, { description: "Turns completed survey responses into events", ...props });
    this.poller = new SurveyPoller(this, "Poller", {
      ...config,
      ...resources,
      memory,
      tracing,
      onRemoval,
      outputPrefix: "",
    });
  }
}
