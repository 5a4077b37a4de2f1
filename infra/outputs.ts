import { CfnOutput } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** What makes the outputs of one poller: its prefix stands in front of each name. The names are a contract: scripts read them. */
export type Outputs = (name: string, value: string, description: string) => void;

export function outputsOf(scope: Construct, prefix: string): Outputs {
  return (name, value, description) => {
    const made = new CfnOutput(scope, `Output${name}`, { value, description });
    made.overrideLogicalId(`${prefix}${name}`);
  };
}

/** As the names of outputs must be. */
export function alphanumeric(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, "");
}
